/**
 * A schema as a plain function. It reads what `Schema.decodeUnknown` reads, several times as fast, for the shapes that
 * lines of the log are made of: a log of a gigabyte has a million of them.
 *
 * Of what it does not take it says nothing: the schema itself then decides, and names what is wrong. So it may be
 * wrong in one way only, by making of something what the schema would not, and tests hold the two together.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"

const refused: unique symbol = Symbol("refused")

/** `read` gives the value, or {@link refused}; where `keeps`, what it takes is what it was given. */
interface Reader {
  readonly read: (input: unknown) => unknown
  readonly keeps: boolean
}

/** In UTF-16 units: a long text is never kept alive for being remembered. */
const mostRemembered = 100

const options = AST.defaultParseOption

const keeping = (takes: (input: unknown) => boolean): Reader => ({
  read: (input) => takes(input) ? input : refused,
  keeps: true
})

const making = (read: Reader["read"]): Reader => ({ read, keeps: false })

const orRefused = (result: unknown): unknown =>
  Either.isEither(result) && Either.isRight(result) ? result.right : refused

/** Whatever has no faster way. */
const slowly = (ast: AST.AST): Reader => {
  const decode = Schema.decodeUnknownEither(Schema.make<unknown>(ast))
  return making((input) => orRefused(decode(input)))
}

interface Property extends Reader {
  readonly name: PropertyKey
  readonly isOptional: boolean
}

type Members = { readonly [name: PropertyKey]: unknown }

/** The members that the schema knows, in its order. */
const copied = (properties: ReadonlyArray<Property>, input: Members): unknown => {
  const out: Record<PropertyKey, unknown> = {}
  for (const { isOptional, name, read } of properties) {
    if (!Object.hasOwn(input, name)) {
      if (isOptional) continue
      return refused
    }
    const value = read(input[name])
    if (value === refused) return refused
    out[name] = value
  }
  return out
}

/** Whether a copy would be the same, order and all. */
const isAsRead = (properties: ReadonlyArray<Property>, input: Members): boolean => {
  const names = Object.keys(input)
  let next = 0
  for (const { isOptional, name, read } of properties) {
    if (names[next] !== name) {
      if (isOptional) continue
      return false
    }
    if (read(input[name]) === refused) return false
    next += 1
  }
  return next === names.length
}

const struct = (ast: AST.TypeLiteral): Reader => {
  const properties = ast.propertySignatures.map(({ isOptional, name, type }) => ({ ...reader(type), isOptional, name }))
  if (ast.indexSignatures.length > 0 || properties.length === 0) return slowly(ast)
  const flat = properties.every(({ keeps }) => keeps)
  return making((input) =>
    Predicate.isRecord(input)
      ? flat && isAsRead(properties, input) ? input : copied(properties, input)
      : refused
  )
}

const tuple = (ast: AST.TupleType): Reader => {
  const elements = ast.elements.map(({ type }) => reader(type))
  const [rest, ...more] = ast.rest.map(({ type }) => reader(type))
  const readers = [...elements, ...(rest === undefined ? [] : [rest])]
  const flat = readers.every(({ keeps }) => keeps)
  if (more.length > 0 || ast.elements.some(({ isOptional }) => isOptional) || !flat) return slowly(ast)
  const takes = (item: unknown, i: number): boolean => {
    const element = elements[i] ?? rest
    return element !== undefined && element.read(item) !== refused
  }
  return keeping((input) => Array.isArray(input) && input.length >= elements.length && input.every(takes))
}

const isConstant = (ast: AST.AST): ast is AST.Literal | AST.UndefinedKeyword =>
  AST.isLiteral(ast) || AST.isUndefinedKeyword(ast)

/** Constants, and at most one member beside them, so that it makes no difference which is tried first. */
const union = (ast: AST.Union): Reader => {
  const constants = new Set<unknown>(
    ast.types.filter(isConstant).map((type) => AST.isLiteral(type) ? type.literal : undefined)
  )
  const [other, ...more] = ast.types.filter((type) => !isConstant(type))
  if (other === undefined) return keeping((input) => constants.has(input))
  const takesObjects = !AST.isTransformation(other) || AST.isTypeLiteral(other.from)
  if (more.length > 0 || !takesObjects) return slowly(ast)
  const { keeps, read } = reader(other)
  return { keeps, read: (input) => constants.has(input) ? input : read(input) }
}

/** Neighbouring lines share most of their short texts: what was taken last is not looked at again. */
const refinement = (ast: AST.Refinement): Reader => {
  const { keeps, read } = reader(ast.from)
  let taken: unknown = refused
  return {
    keeps,
    read: (input) => {
      if (input === taken) return input
      const value = read(input)
      if (value === refused || Option.isSome(ast.filter(value, options, ast))) return refused
      if (typeof value === "string" && keeps && value.length <= mostRemembered) taken = value
      return value
    }
  }
}

const transformation = (ast: AST.Transformation): Reader => {
  if (!AST.isFinalTransformation(ast.transformation)) return slowly(ast)
  const { decode } = ast.transformation
  const from = reader(ast.from)
  const to = reader(ast.to)
  return making((input) => {
    const value = from.read(input)
    if (value === refused) return refused
    const made = orRefused(decode(value, options, ast, input))
    return made === refused ? refused : to.read(made)
  })
}

const declaration = (ast: AST.Declaration): Reader => {
  const parse = ast.decodeUnknown(...ast.typeParameters)
  return making((input) => orRefused(parse(input, options, ast)))
}

const reader = (ast: AST.AST): Reader => {
  if (AST.isStringKeyword(ast)) return keeping(Predicate.isString)
  if (AST.isNumberKeyword(ast)) return keeping(Predicate.isNumber)
  if (AST.isBooleanKeyword(ast)) return keeping(Predicate.isBoolean)
  if (AST.isUnknownKeyword(ast)) return keeping(() => true)
  if (AST.isLiteral(ast)) return keeping((input) => input === ast.literal)
  if (AST.isTypeLiteral(ast)) return struct(ast)
  if (AST.isTupleType(ast)) return tuple(ast)
  if (AST.isUnion(ast)) return union(ast)
  if (AST.isRefinement(ast)) return refinement(ast)
  if (AST.isTransformation(ast)) return transformation(ast)
  return AST.isDeclaration(ast) ? declaration(ast) : slowly(ast)
}

/**
 * The value that the schema makes of an input, or nothing where it has to be asked itself. The value may share parts
 * with the input.
 *
 * @since 0.1.0
 * @category compiling
 */
export const compile = <A, I>(schema: Schema.Schema<A, I>): (input: unknown) => Option.Option<A> => {
  const { read } = reader(schema.ast)
  const isRead = (value: unknown): value is A => value !== refused
  return (input) => {
    const value = read(input)
    return isRead(value) ? Option.some(value) : Option.none()
  }
}
