// Counts what a page asks of WebGPU. Both functions are run in a page before anything of its own (`prepare` of
// browser.mjs, or `addInitScript`), so they use nothing from outside.

/** Wraps WebGPU's prototypes; `gpuCounts()` in the page then gives what has been called since it was loaded. */
export function countGpu() {
  const counts = {
    dispatches: 0,
    passes: 0,
    submits: 0,
    pipelines: 0,
    bindGroups: 0,
    buffers: 0,
    bytesWritten: 0,
    bytesRead: 0,
    /** Of buffers not destroyed: what has been dropped for the garbage collector alone is still counted. */
    bytesHeld: 0,
    bytesHeldAtMost: 0,
    bytesHeldAsStorage: 0,
  };
  globalThis.gpuCounts = () => ({ ...counts });
  if (typeof GPUDevice === "undefined") return;

  /** Calls `note` with the object, the arguments and the result of each call. */
  const wrap = (type, method, note) => {
    const original = type.prototype[method];
    type.prototype[method] = function (...given) {
      const result = original.apply(this, given);
      note(this, given, result);
      return result;
    };
  };
  const count = (type, method, name) => wrap(type, method, () => counts[name]++);
  count(GPUComputePassEncoder, "dispatchWorkgroups", "dispatches");
  count(GPUComputePassEncoder, "dispatchWorkgroupsIndirect", "dispatches");
  count(GPUCommandEncoder, "beginComputePass", "passes");
  count(GPUDevice, "createComputePipeline", "pipelines");
  count(GPUDevice, "createComputePipelineAsync", "pipelines");
  count(GPUDevice, "createBindGroup", "bindGroups");
  // An empty submit only has the browser look for finished work.
  wrap(GPUQueue, "submit", (_queue, [commands]) => (counts.submits += [...commands].length > 0 ? 1 : 0));
  wrap(GPUQueue, "writeBuffer", (_queue, [, , data, from = 0, size]) => {
    const unit = data.BYTES_PER_ELEMENT ?? 1;
    counts.bytesWritten += size === undefined ? data.byteLength - from * unit : size * unit;
  });
  wrap(GPUBuffer, "mapAsync", (buffer, [mode, offset = 0, size = buffer.size - offset]) => {
    if (mode === GPUMapMode.READ) counts.bytesRead += size;
  });

  const held = new WeakSet();
  const hold = (buffer, sign) => {
    counts.bytesHeld += sign * buffer.size;
    if (buffer.usage & GPUBufferUsage.STORAGE) counts.bytesHeldAsStorage += sign * buffer.size;
    counts.bytesHeldAtMost = Math.max(counts.bytesHeldAtMost, counts.bytesHeld);
  };
  wrap(GPUDevice, "createBuffer", (_device, _given, buffer) => {
    counts.buffers++;
    held.add(buffer);
    hold(buffer, 1);
  });
  wrap(GPUBuffer, "destroy", (buffer) => {
    if (held.delete(buffer)) hold(buffer, -1);
  });
}

/**
 * Hides WebGPU until `showGpu()` is called in the page. The page itself then computes on the processor, and the first
 * `measure` after it finds a browser in which no pipeline has been made.
 */
export function hideGpu() {
  const { get } = Object.getOwnPropertyDescriptor(Navigator.prototype, "gpu") ?? {};
  let isShown = false;
  globalThis.showGpu = () => (isShown = true);
  Object.defineProperty(Navigator.prototype, "gpu", {
    configurable: true,
    get() {
      return isShown ? get?.call(this) : undefined;
    },
  });
}
