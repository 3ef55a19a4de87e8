import type { Plugin } from "vite";

/** Where a trace is put into the single file: `<script type="application/json" id="polyhead-trace">` takes its place. */
export const PLACEHOLDER = "<!--polyhead-trace-->";

/** What ends or confuses an inline script; inside strings `\x3C` is the same letter. */
function inlineScript(code: string): string {
  return code.replaceAll("</script", "\\x3C/script").replaceAll("<!--", "\\x3C!--");
}

/** A Vite plugin: beside index.html it writes the whole page as one file that needs no other. */
export function singleFile(fileName: string): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const index = bundle["index.html"];
      if (index?.type !== "asset") throw new Error("the build has no index.html");
      let html = String(index.source);
      for (const item of Object.values(bundle)) {
        const name = item.fileName.replaceAll(".", "\\.");
        if (item.type === "chunk") {
          const script = inlineScript(item.code);
          html = html.replace(new RegExp(`<script[^>]*src="\\./${name}"[^>]*></script>`), () => `<script type="module">${script}</script>`);
        } else if (item.fileName.endsWith(".css")) {
          const style = String(item.source);
          html = html.replace(new RegExp(`<link[^>]*href="\\./${name}"[^>]*>`), () => `<style>${style}</style>`);
        } else if (item.fileName.endsWith(".svg")) {
          const picture = `data:image/svg+xml;base64,${Buffer.from(item.source).toString("base64")}`;
          html = html.replace(`./${item.fileName}`, () => picture);
        }
      }
      if (/(?:src|href)="\.\//.test(html)) throw new Error("something of the page was left outside the single file");
      this.emitFile({ type: "asset", fileName, source: html.replace("</title>", `</title>\n    ${PLACEHOLDER}`) });
    },
  };
}
