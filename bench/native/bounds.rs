//! What bounds a pass on this adapter: the rate of a plain matrix product, the time of an empty dispatch, and that of
//! reading something back. Shares no shader with the library.

use std::fmt::Write;
use std::time::Instant;

use serde_json::{Value, json};

use super::{Failure, milliseconds};

/// Products are timed in passes of about this many operations.
const PASS_FLOPS: f64 = 4e8;
const SAMPLES: usize = 5;
/// Rows, inner length and columns: from a small model's largest product to a square one.
const SHAPES: [(u32, u32, u32); 5] = [(32, 64, 256), (64, 64, 256), (64, 256, 1024), (256, 256, 1024), (512, 512, 512)];
const EMPTY_DISPATCHES: u32 = 2000;
const READBACK_BYTES: u64 = 1 << 14;

/// How a thread's part of the result is cut: rows, vec4s of columns, and threads of a workgroup in x and y.
const TILES: [(u32, u32, (u32, u32)); 8] = [
    (4, 1, (8, 8)),
    (8, 1, (8, 4)),
    (8, 1, (16, 1)),
    (8, 2, (8, 4)),
    (8, 2, (4, 1)),
    (16, 1, (4, 1)),
    (16, 2, (4, 1)),
    (16, 4, (4, 1)),
];

struct Adapter {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
}

struct Kernel {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
}

/// Every bound, as JSON.
pub(super) async fn measure() -> Result<Value, Failure> {
    let adapter = open().await?;
    let mut best = json!({ "gflops": 0.0 });
    let mut rates = Vec::new();
    for shape in SHAPES {
        for tile in TILES {
            let gflops = product_gflops(&adapter, shape, tile)?;
            let rate = json!({ "rows": shape.0, "inner": shape.1, "columns": shape.2, "tile": tile, "gflops": gflops });
            if best["gflops"].as_f64() < Some(gflops) {
                best = rate.clone();
            }
            rates.push(rate);
        }
    }
    Ok(json!({
        "adapter": adapter.name, "best_product": best, "products": rates,
        "dispatch_us": 1e3 * dispatch_ms(&adapter)?, "readback_ms": readback_ms(&adapter)?,
    }))
}

/// The adapter that the library takes.
async fn open() -> Result<Adapter, Failure> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    };
    let adapter = instance.request_adapter(&options).await?;
    let (device, queue) = adapter.request_device(&wgpu::DeviceDescriptor::default()).await?;
    Ok(Adapter { device, queue, name: adapter.get_info().name })
}

impl Adapter {
    fn buffer(&self, vec4s: u32) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let size = 16 * u64::from(vec4s);
        self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    fn kernel(&self, source: String, buffers: &[wgpu::Buffer]) -> Kernel {
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
        let bindings = self.device.create_bind_group(&descriptor);
        Kernel { pipeline, bindings }
    }

    /// Milliseconds of `times` dispatches in one pass, until the device is done: the least of some samples.
    fn time(&self, kernel: &Kernel, workgroups: (u32, u32), times: u32) -> Result<f64, Failure> {
        let mut least = f64::INFINITY;
        for _ in 0..=SAMPLES {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&kernel.pipeline);
                pass.set_bind_group(0, &kernel.bindings, &[]);
                for _ in 0..times {
                    pass.dispatch_workgroups(workgroups.0, workgroups.1, 1);
                }
            }
            let commands = encoder.finish();
            let start = Instant::now();
            self.queue.submit([commands]);
            self.device.poll(wgpu::PollType::wait_indefinitely())?;
            least = least.min(milliseconds(start));
        }
        Ok(least)
    }
}

/// Billions of operations a second, an addition and a multiplication counted as two.
fn product_gflops(adapter: &Adapter, shape: (u32, u32, u32), tile: (u32, u32, (u32, u32))) -> Result<f64, Failure> {
    let (rows, inner, columns) = shape;
    let (tile_rows, tile_columns, threads) = tile;
    let buffers = [(rows, inner), (inner, columns), (rows, columns)].map(|(a, b)| adapter.buffer(a * b / 4));
    let kernel = adapter.kernel(product_source(shape, tile), &buffers);
    let workgroups = ((columns / 4).div_ceil(tile_columns * threads.0), rows.div_ceil(tile_rows * threads.1));
    let flops = 2.0 * f64::from(rows) * f64::from(inner) * f64::from(columns);
    let times = (PASS_FLOPS / flops).ceil();
    Ok(times * flops / 1e6 / adapter.time(&kernel, workgroups, times as u32)?)
}

/// `c = a b`, a tile of registers a thread.
fn product_source(shape: (u32, u32, u32), tile: (u32, u32, (u32, u32))) -> String {
    let (rows, inner, columns) = shape;
    let (tile_rows, tile_columns, threads) = tile;
    let (inner, columns) = (inner / 4, columns / 4);
    let mut body = String::new();
    let mut line = |text: String| {
        let _ = writeln!(body, "{text}");
    };
    for r in 0..tile_rows {
        for c in 0..tile_columns {
            line(format!("var s{r}_{c} = vec4<f32>(0.0);"));
        }
    }
    line(format!("for (var k = 0u; k < {inner}u; k++) {{"));
    for c in 0..tile_columns {
        for i in 0..4 {
            line(format!("let b{c}_{i} = b[(4u * k + {i}u) * {columns}u + column + {c}u];"));
        }
    }
    for r in 0..tile_rows {
        line(format!("let a{r} = a[(row + {r}u) * {inner}u + k];"));
        for c in 0..tile_columns {
            line(format!("s{r}_{c} += a{r}.x * b{c}_0 + a{r}.y * b{c}_1 + a{r}.z * b{c}_2 + a{r}.w * b{c}_3;"));
        }
    }
    line("}".into());
    for r in 0..tile_rows {
        for c in 0..tile_columns {
            line(format!("c[(row + {r}u) * {columns}u + column + {c}u] = s{r}_{c};"));
        }
    }
    let (x, y) = threads;
    format!(
        "@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
        @group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
        @group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
        @compute @workgroup_size({x}, {y})
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let column = {tile_columns}u * id.x;
            let row = {tile_rows}u * id.y;
            if column >= {columns}u || row >= {rows}u {{ return; }}
            {body}
        }}"
    )
}

/// Milliseconds that a dispatch takes which does next to nothing.
fn dispatch_ms(adapter: &Adapter) -> Result<f64, Failure> {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
        @compute @workgroup_size(1) fn main() { out[0] += vec4<f32>(1.0); }";
    let kernel = adapter.kernel(source.into(), &[adapter.buffer(1)]);
    Ok(adapter.time(&kernel, (1, 1), EMPTY_DISPATCHES)? / f64::from(EMPTY_DISPATCHES))
}

/// Milliseconds from submitting a copy to its bytes on the processor.
fn readback_ms(adapter: &Adapter) -> Result<f64, Failure> {
    let from = adapter.buffer((READBACK_BYTES / 16) as u32);
    let to = adapter.device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: READBACK_BYTES,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut least = f64::INFINITY;
    for _ in 0..=SAMPLES {
        let start = Instant::now();
        let mut encoder = adapter.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&from, 0, &to, 0, READBACK_BYTES);
        adapter.queue.submit([encoder.finish()]);
        to.map_async(wgpu::MapMode::Read, .., |_| {});
        adapter.device.poll(wgpu::PollType::wait_indefinitely())?;
        std::hint::black_box(to.get_mapped_range(..)?.to_vec());
        to.unmap();
        least = least.min(milliseconds(start));
    }
    Ok(least)
}
