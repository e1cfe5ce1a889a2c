// A film of the depth: WebM where the browser records, else its frames in a zip.

import { zip } from "./zip.js";

const FRAMES_A_SECOND = 30;
const SHALLOWEST = 6;
const DEEPEST = 200;
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

const depthOf = (ask) => Number(new URLSearchParams(ask("state")).get("depth") ?? 24);
const isSettled = () => document.querySelector("[data-announcer]")?.dataset.settled === "true";
const nextFrame = () => new Promise((done) => requestAnimationFrame(done));

/** Sets one key of what is shown. */
function change(ask, key, value) {
  const query = new URLSearchParams(ask("state"));
  query.set(key, value);
  ask("set", query.toString());
}

/** A canvas that shows what the charts show, with titles and the depth. */
function stage(say) {
  const plots = [...document.querySelectorAll(".chart .plot")].filter((plot) => plot.offsetParent !== null);
  if (plots.length === 0) throw new Error(say("host.no_chart"));
  const [MARGIN, TITLE] = [24, 36];
  const places = plots.map((plot) => plot.getBoundingClientRect());
  const [left, top] = [Math.min(...places.map((p) => p.left)), Math.min(...places.map((p) => p.top))];
  const [right, bottom] = [Math.max(...places.map((p) => p.right)), Math.max(...places.map((p) => p.bottom))];
  const scale = Math.max(1, Math.min(2, devicePixelRatio));
  // Encoders want even numbers.
  const even = (length) => 2 * Math.ceil((length * scale) / 2);
  const canvas = document.createElement("canvas");
  canvas.width = even(right - left + 2 * MARGIN);
  canvas.height = even(bottom - top + 2 * MARGIN + TITLE);
  const context = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const paint = (depth) => {
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = style.getPropertyValue("--bg");
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = style.getPropertyValue("--ink");
    context.font = `600 16px ${style.getPropertyValue("--font")}`;
    plots.forEach((plot, i) => {
      const [x, y] = [places[i].left - left + MARGIN, places[i].top - top + MARGIN + TITLE];
      context.fillText(plot.getAttribute("aria-label") ?? "", x, y - 12, places[i].width);
      for (const layer of plot.querySelectorAll("canvas")) context.drawImage(layer, x, y, places[i].width, places[i].height);
    });
    context.textAlign = "right";
    context.fillText(String(depth), canvas.width / scale - MARGIN, MARGIN);
    context.textAlign = "left";
  };
  return { canvas, paint };
}

/** Films the depth from 6 to 200, as play moves it, and puts all back as it was. */
export async function film({ ask, say }, give) {
  const before = ask("state");
  const { canvas, paint } = stage(say);
  const type = window.MediaRecorder && TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  const frames = [];
  const chunks = [];
  let recorder;
  try {
    change(ask, "depth", SHALLOWEST);
    await nextFrame();
    while (!isSettled()) await nextFrame();
    if (type) {
      recorder = new MediaRecorder(canvas.captureStream(FRAMES_A_SECOND), { mimeType: type, videoBitsPerSecond: 8_000_000 });
      recorder.addEventListener("dataavailable", ({ data }) => chunks.push(data));
      recorder.start(1000);
    }
    ask("play");
    let last = 0;
    let still = performance.now();
    for (;;) {
      await nextFrame();
      const depth = depthOf(ask);
      paint(depth);
      if (depth !== last) {
        still = performance.now();
        last = depth;
        if (!type) frames.push([`depth-${String(depth).padStart(3, "0")}.png`, await new Promise((done) => canvas.toBlob(done))]);
      }
      // Play has come to its end, or was stopped.
      if ((depth >= DEEPEST && isSettled()) || (performance.now() - still > 1500 && isSettled())) break;
    }
    if (recorder) {
      const stopped = new Promise((done) => recorder.addEventListener("stop", done));
      recorder.stop();
      await stopped;
      give("normscope.webm", new Blob(chunks, { type: "video/webm" }));
    } else {
      give("normscope-frames.zip", await zip(frames));
    }
  } finally {
    ask("pause");
    ask("set", before);
  }
}
