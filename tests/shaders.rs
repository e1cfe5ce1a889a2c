//! Every kernel is composed, validated by naga, and compared with what the plan says of it.

use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ScalarKind, StorageAccess, TypeInner};
use normscope::plan::{Access, FIRST_GROUP, Kernel, Tuning, compose};

/// WebGPU's default limits.
const STORAGE_BUFFERS: usize = 8;
const WORKGROUP_BYTES: u32 = 16 << 10;
const INVOCATIONS: u32 = 256;
/// Bytes between the uniforms of two steps.
const UNIFORM_BYTES: u32 = 256;

fn parse(kernel: Kernel, tuning: Tuning) -> Module {
    let source = compose(kernel, tuning);
    let module = naga::front::wgsl::parse_str(&source)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.stem(), error.emit_to_string(&source)));
    Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.stem(), error.emit_to_string(&source)));
    module
}

#[test]
fn every_kernel_is_valid_and_within_the_default_limits() {
    let cuts = Kernel::ALL.iter().flat_map(|&kernel| Tuning::ALL.iter().map(move |&tuning| (kernel, tuning)));
    for (kernel, tuning) in cuts {
        let module = parse(kernel, tuning);
        let stem = kernel.stem();
        let storage = module
            .global_variables
            .iter()
            .filter(|(_, variable)| matches!(variable.space, AddressSpace::Storage { .. }))
            .count();
        assert!(storage <= STORAGE_BUFFERS, "{stem} binds {storage} storage buffers");
        let workgroup: u32 = module
            .global_variables
            .iter()
            .filter(|(_, variable)| variable.space == AddressSpace::WorkGroup)
            .map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx()))
            .sum();
        assert!(workgroup <= WORKGROUP_BYTES, "{stem} takes {workgroup} bytes of workgroup memory");
        let [entry] = &module.entry_points[..] else { panic!("{stem} has one entry point") };
        assert_eq!(entry.name, "main", "{stem}");
        assert!(entry.workgroup_size.iter().product::<u32>() <= INVOCATIONS, "{stem}: {:?}", entry.workgroup_size);
    }
}

#[test]
fn bindings_are_those_of_the_plan() {
    for &kernel in Kernel::ALL {
        let module = parse(kernel, Tuning::default());
        let stem = kernel.stem();
        let mut bound = Vec::new();
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = variable.binding else { continue };
            assert_eq!(binding.group, 0, "{stem}");
            let access = match variable.space {
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Some(Access::Write),
                AddressSpace::Storage { .. } => Some(Access::Read),
                _ => None,
            };
            bound.push((binding.binding, variable.name.clone().unwrap_or_default(), access));
        }
        bound.sort_by_key(|(index, ..)| *index);
        let expected: Vec<_> = std::iter::once((0, "p".to_owned(), None))
            .chain(
                kernel
                    .bindings()
                    .iter()
                    .enumerate()
                    .map(|(i, binding)| (i as u32 + 1, binding.name.to_owned(), Some(binding.access))),
            )
            .collect();
        assert_eq!(bound, expected, "{stem}");
    }
}

#[test]
fn uniforms_hold_the_offsets_and_then_the_arguments() {
    for &kernel in Kernel::ALL {
        let module = parse(kernel, Tuning::default());
        let stem = kernel.stem();
        let (_, uniform) = module
            .global_variables
            .iter()
            .find(|(_, variable)| variable.space == AddressSpace::Uniform)
            .unwrap_or_else(|| panic!("{stem} has a uniform"));
        let TypeInner::Struct { members, span } = &module.types[uniform.ty].inner else {
            panic!("{stem}: the uniform is a struct")
        };
        let found: Vec<_> = members
            .iter()
            .map(|member| {
                let TypeInner::Scalar(scalar) = module.types[member.ty].inner else {
                    panic!("{stem}: the uniform holds scalars")
                };
                let type_name = if scalar.kind == ScalarKind::Float { "f32" } else { "u32" };
                (member.name.clone().unwrap_or_default(), type_name)
            })
            .collect();
        let offsets = kernel.bindings().iter().map(|binding| (format!("{}_at", binding.name), "u32"));
        let arguments = kernel.arguments().iter().map(|(name, type_name)| ((*name).to_owned(), *type_name));
        let firsts = FIRST_GROUP.iter().map(|name| ((*name).to_owned(), "u32"));
        assert_eq!(found, offsets.chain(arguments).chain(firsts).collect::<Vec<_>>(), "{stem}");
        assert!(*span <= UNIFORM_BYTES, "{stem}: the uniform has {span} bytes");
    }
}

#[test]
fn every_shader_has_a_kernel_and_a_twin() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut stems: Vec<String> = std::fs::read_dir(root.join("shaders"))
        .expect("there is a folder of shaders")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wgsl"))
        .map(|path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned())
        .collect();
    stems.sort();
    let mut kernels: Vec<String> = Kernel::ALL.iter().map(|kernel| kernel.stem().to_owned()).collect();
    kernels.sort();
    assert_eq!(stems, kernels);
    for stem in stems {
        assert!(root.join(format!("src/cpu/{stem}.rs")).is_file(), "{stem} has a twin");
    }
}
