/** Bundles each test and runs them with Node's own runner. */

import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "hamiltree-web-"));
const entryPoints = readdirSync("test").filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: entryPoints.map((name) => `test/${name}`),
  outdir: folder,
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  logLevel: "warning",
});
const files = readdirSync(folder).map((name) => join(folder, name));
const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
rmSync(folder, { recursive: true });
process.exit(status ?? 1);
