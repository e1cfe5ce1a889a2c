// A small static server for the built page.
//
//     node scripts/serve.mjs [FOLDER]      (dist by default)
//
// It listens on 127.0.0.1:8080, or on the next free port; PORT= chooses one. The browser tests use `startServer`.

import { createReadStream } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const HOST = "127.0.0.1";
const FIRST_PORT = 8080;
const TRIES = 50;

/** What a file is, by the end of its name. */
export const TYPES = {
  ".bib": "application/x-bibtex; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".map": "application/json; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".py": "text/x-python; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".xml": "application/xml; charset=utf-8",
};
const COMPRESSED = /^(text\/|application\/(json|wasm|xml|manifest)|image\/svg)/;

const compress = promisify(gzip);

/** The file in `root` that a request's path names, or null where it names none or one outside. */
async function find(root, target) {
  let path;
  try {
    path = decodeURIComponent(target.split(/[?#]/, 1)[0]);
  } catch {
    return null;
  }
  if (!path.startsWith("/") || path.includes("\0") || path.split(/[/\\]/).some((part) => part.startsWith("."))) return null;
  try {
    let file = await realpath(join(root, path));
    let info = await stat(file);
    if (info.isDirectory() && path.endsWith("/")) {
      file = await realpath(join(file, "index.html"));
      info = await stat(file);
    }
    return info.isFile() && file.startsWith(root + sep) ? { file, info } : null;
  } catch {
    return null;
  }
}

/** Which of the folders, by the paths they are at, a request is for, and where in it. */
function place(folders, target) {
  const prefix = Object.keys(folders).find((prefix) => target.startsWith(prefix)) ?? "/";
  return [folders[prefix], target.slice(prefix.length - 1)];
}

/** Answers one request. `zipped` keeps compressed files by their tag. */
async function answer(folders, extra, zipped, request, response) {
  const plain = (status, text, headers = {}) => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers });
    response.end(request.method === "HEAD" ? undefined : `${text}\n`);
  };
  if (request.method !== "GET" && request.method !== "HEAD") return plain(405, "only GET and HEAD", { allow: "GET, HEAD" });
  const found = await find(...place(folders, request.url));
  if (!found) return plain(404, "not found");

  const { file, info } = found;
  const tag = `"${info.size.toString(36)}-${Math.round(info.mtimeMs).toString(36)}"`;
  const type = TYPES[extname(file).toLowerCase()] ?? "application/octet-stream";
  const packable = COMPRESSED.test(type);
  const headers = {
    "cache-control": "no-cache",
    "content-type": type,
    etag: tag,
    "last-modified": info.mtime.toUTCString(),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...extra,
    ...(packable ? { vary: "accept-encoding" } : {}),
  };
  if (request.headers["if-none-match"]?.split(/\s*,\s*/).some((seen) => seen.replace(/^W\//, "") === tag)) {
    response.writeHead(304, headers);
    return response.end();
  }
  if (packable && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers["accept-encoding"] ?? "")) {
    const key = file + tag;
    if (!zipped.has(key)) zipped.set(key, await compress(await readFile(file)));
    const body = zipped.get(key);
    response.writeHead(200, { ...headers, "content-encoding": "gzip", "content-length": body.length });
    return response.end(request.method === "HEAD" ? undefined : body);
  }
  response.writeHead(200, { ...headers, "content-length": info.size });
  if (request.method === "HEAD") return response.end();
  createReadStream(file)
    .on("error", () => response.destroy())
    .pipe(response);
}

function listen(server, port) {
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.listen(port, HOST, () => {
      server.off("error", failed);
      done();
    });
  });
}

/**
 * Serves a folder, and under `mounts` (paths such as `/x/`) others; each answer has the `headers` too. With `port` given
 * only that port is tried (0: any free one), else 8080 and those after it. Resolves to `{ url, close }` once the server
 * answers.
 */
export async function startServer(folder, port, { mounts = {}, headers = {} } = {}) {
  const folders = {};
  for (const [prefix, path] of Object.entries({ ...mounts, "/": folder })) folders[prefix] = await realpath(resolve(path));
  const zipped = new Map();
  const server = createServer((request, response) => {
    answer(folders, headers, zipped, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const first = port ?? FIRST_PORT;
  const last = port === undefined ? FIRST_PORT + TRIES : port;
  for (let candidate = first; ; candidate++) {
    try {
      await listen(server, candidate);
      break;
    } catch (error) {
      if (error.code !== "EADDRINUSE" || candidate >= last) throw error;
    }
  }
  const close = () =>
    new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  return { url: `http://${HOST}:${server.address().port}/`, close };
}

async function main() {
  const folder = process.argv[2] ?? "dist";
  const asked = process.env.PORT || undefined;
  if (asked !== undefined && !(/^\d+$/.test(asked) && Number(asked) < 65536)) throw new Error(`PORT=${asked} is not a port`);
  try {
    await stat(join(folder, "index.html"));
  } catch {
    throw new Error(`${folder}/index.html is missing: build the page first (make build)`);
  }

  let server;
  try {
    server = await startServer(folder, asked === undefined ? undefined : Number(asked));
  } catch (error) {
    if (error.code === "EADDRINUSE") {
      throw new Error(asked === undefined ? "no free port was found" : `port ${asked} is taken; choose another with PORT=`);
    }
    if (error.code === "EACCES") throw new Error(`no right to listen on port ${asked}; choose one above 1023 with PORT=`);
    throw error;
  }
  const reply = await fetch(server.url);
  if (!reply.ok) throw new Error(`the server answers ${reply.status}`);
  await reply.arrayBuffer();
  console.log(`Normscope is at ${server.url} (Ctrl-C stops it)`);

  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => server.close().then(() => process.exit(0)));
  }
}

if (process.argv[1] && (await realpath(process.argv[1])) === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(`error: ${error.message}`);
    process.exit(1);
  });
}
