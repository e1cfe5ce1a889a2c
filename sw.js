// The service worker: after the first visit the page works offline. Each release has a cache of its own, which is filled
// as a set or not at all; the build fills in the two constants. Every name but the page's carries the hash of what it
// names, so that a copy of it from any release is right.

const RELEASE = "";
const FILES = [];

/** Other pages of the same origin have caches too. */
const OURS = `normscope ${registration.scope} `;
const CACHE = OURS + RELEASE;

/** The releases that are kept, the oldest first. */
async function releases() {
  return (await caches.keys()).filter((name) => name.startsWith(OURS));
}

/** Keeps this release. The page comes last: a cache that has it is whole. */
async function keep() {
  // One that was left half full, or is older than the one that this release now replaces.
  await caches.delete(CACHE);
  const page = await fetch("./", { cache: "no-cache" });
  if (!(await page.clone().text()).includes(RELEASE)) throw new Error("the page is of another release");
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES);
  await cache.put("./", page);
}

/** Drops older releases. The browser asks for it once no page is left that began with one. */
async function tidy() {
  // The page is asked for while this worker starts.
  await registration.navigationPreload?.enable();
  const names = await releases();
  await Promise.all(names.slice(0, names.indexOf(CACHE)).map((name) => caches.delete(name)));
}

/** What the newest release has at an address. */
async function kept(address) {
  for (const cacheName of (await releases()).reverse()) {
    const response = await caches.match(address, { cacheName });
    if (response) return response;
  }
}

/** The page from the network, so that a new release is seen at once; without one, or with the host in trouble, the kept one. */
async function visit({ request, preloadResponse }) {
  const live = async () => (await preloadResponse) ?? (await fetch(request));
  const response = await live().catch(() => Response.error());
  if (response.type !== "error" && response.status < 500) return response;
  return (await kept(request.url.replace(/(index\.html)?([?#].*)?$/, ""))) ?? response;
}

addEventListener("install", (event) => event.waitUntil(keep()));
addEventListener("activate", (event) => event.waitUntil(tidy()));
addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(registration.scope)) return;
  const found = async () => (await kept(request.url)) ?? fetch(request);
  event.respondWith(request.mode === "navigate" ? visit(event) : found());
});
