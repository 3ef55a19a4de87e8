import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";
import { singleFile } from "./singleFile.ts";

/** The page is built straight into the server's package: an index with hashed assets, and the same in one file. */
export default defineConfig({
  base: "./",
  plugins: [svelte(), singleFile("single.html")],
  build: {
    outDir: "../src/polyhead/server/page",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
  server: { proxy: { "/api": process.env["POLYHEAD"] ?? "http://127.0.0.1:8000" } },
});
