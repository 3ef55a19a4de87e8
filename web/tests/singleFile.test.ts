import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PLACEHOLDER, singleFile } from "../singleFile";

/** What the plugin writes for a page whose script and style are awkward. */
function written(script: string): string {
  const bundle = {
    "index.html": { type: "asset", fileName: "index.html", source: '<title>x</title><script type="module" src="./assets/a-1.js"></script><link rel="stylesheet" href="./assets/a-2.css">' },
    "a.js": { type: "chunk", fileName: "assets/a-1.js", code: script },
    "a.css": { type: "asset", fileName: "assets/a-2.css", source: "a{color:red}" },
  };
  let source = "";
  const plugin = singleFile("single.html");
  const generate = plugin.generateBundle as unknown as (this: unknown, options: unknown, bundle: unknown) => void;
  generate.call({ emitFile: (file: { source: string }) => (source = file.source) }, {}, bundle);
  return source;
}

it("holds script and style, and one place for a trace", () => {
  const page = written("let $1 = `</script><!-- $& -->`");
  expect(page).toContain("<style>a{color:red}</style>");
  expect(page).toContain("let $1 = `\\x3C/script>\\x3C!-- $& -->`");
  expect(page.split(PLACEHOLDER)).toHaveLength(2);
  expect(page.match(/<\/script>/g)).toHaveLength(1);
});

it("is built that way", () => {
  const page = readFileSync(new URL("../../src/polyhead/server/page/single.html", import.meta.url), "utf8");
  expect(page.split(PLACEHOLDER)).toHaveLength(2);
  expect(page).not.toMatch(/(?:src|href)="(?!data:)[^"]*\.(?:js|css|svg)"/);
});
