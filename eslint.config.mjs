import effect from "@effect/eslint-plugin"
import tseslint from "typescript-eslint"

const product = ["src/**/*.ts", "services/**/*.ts", "layers/**/*.ts"]

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "apidocs/"] },
  tseslint.configs.base,
  {
    files: ["**/*.{ts,mjs,cjs}"],
    plugins: { "@effect": effect },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@effect/dprint": ["error", {
        config: {
          indentWidth: 2,
          lineWidth: 120,
          semiColons: "asi",
          quoteStyle: "alwaysDouble",
          trailingCommas: "never",
          operatorPosition: "maintain",
          "arrowFunction.useParentheses": "force"
        }
      }],
      "no-console": "error",
      "no-debugger": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      eqeqeq: "error"
    }
  },
  {
    files: ["**/*.ts"],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/array-type": ["error", { default: "generic", readonly: "generic" }],
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/ban-ts-comment": ["error", { "ts-expect-error": false }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/no-non-null-assertion": "error",
      "@typescript-eslint/no-unnecessary-condition": "error",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error"
    }
  },
  { files: ["test/bench/**"], rules: { "no-console": "off" } },
  {
    files: product,
    rules: {
      "@effect/no-import-from-barrel-package": ["error", {
        packageNames: ["effect", "@effect/platform", "@effect/platform-node", "@effect/cli"]
      }],
      "@typescript-eslint/ban-ts-comment": "error",
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "no-restricted-syntax": ["error", {
        selector: "ThrowStatement",
        message: "Fail with a typed error; a defect is for a bug."
      }]
    }
  }
)
