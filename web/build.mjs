/** Bundles the page into the Python package: script, style, licences. The same input gives the same bytes. */

import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";

const target = process.argv[2] ?? "../src/hamiltree/view/page/bundle";
const common = {
  bundle: true,
  minify: true,
  charset: "utf8",
  target: ["es2022"],
  legalComments: "none",
  logLevel: "warning",
};
await build({ ...common, entryPoints: ["src/main.ts"], outfile: `${target}/page.js`, format: "iife" });
await build({ ...common, entryPoints: ["src/widget.ts"], outfile: `${target}/widget.js`, format: "esm" });
await build({ ...common, entryPoints: ["src/page_with_plots.css"], outfile: `${target}/page.css` });

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
const licences = Object.entries(dependencies).map(([name, version]) => {
  const text = readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
  return `${name} ${version}\n${"-".repeat(name.length + version.length + 1)}\n${text}\n`;
});
const heading = "The page contains code of these packages.\n\n";
writeFileSync(`${target}/LICENCES.txt`, heading + licences.join("\n"));
