import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { withoutCredentials } from "../../src/text/Credentials.ts"

describe("an address without credentials", () => {
  it.each([
    ["https://user:pass@host/a", "https://host/a"],
    ["https://user@host:8000/a?b=c", "https://host:8000/a?b=c"],
    ["https://us@er:p@ss@host/a", "https://host/a"],
    ["https://host/a?token=t&b=c&api_key=k#d", "https://host/a?b=c#d"],
    ["https://host/a?Access_Token=t", "https://host/a"],
    ["https://host/a?%74oken=t&page=2", "https://host/a?page=2"],
    ["https://host/a?X-Amz-Signature=s&X-Amz-Date=d", "https://host/a?X-Amz-Date=d"],
    ["https://host/a#access_token=t&state=s", "https://host/a#state=s"],
    ["git+ssh://git@host/repo.git", "git+ssh://host/repo.git"]
  ])("%s is %s", (uri, clean) => assert.strictEqual(withoutCredentials(uri), clean))

  it.each([
    "file:///home/a@b/x.md",
    "https://host/a@b?page=2#part",
    "https://host/a?keyword=k&tokens=3&token",
    "vec:///d",
    "https://host/a?%zz=1#",
    "mailto:a@b"
  ])("%s is left as it is", (uri) => assert.strictEqual(withoutCredentials(uri), uri))

  it.prop(
    "is the same a second time",
    [FastCheck.webUrl({ withQueryParameters: true, withFragments: true })],
    ([uri]) => assert.strictEqual(withoutCredentials(withoutCredentials(uri)), withoutCredentials(uri))
  )
})
