//! Asking the device whether some commands were well.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::join3;

use super::GpuError;

/// Error scopes around some commands. Dropped in the reverse order of their making, as scopes must be.
pub(super) struct Scopes {
    validation: wgpu::ErrorScopeGuard,
    internal: wgpu::ErrorScopeGuard,
    memory: wgpu::ErrorScopeGuard,
}

impl Scopes {
    pub(super) fn open(device: &wgpu::Device) -> Self {
        let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
        let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
        Self { validation, internal, memory }
    }

    /// Closes the scopes at once; what they caught comes with the device's answer.
    pub(super) fn close(self) -> impl Future<Output = Result<(), GpuError>> {
        let validation = self.validation.pop();
        let internal = self.internal.pop();
        let memory = self.memory.pop();
        async move {
            let (validation, internal, memory) = join3(validation, internal, memory).await;
            // What could not be made for want of memory is refused later on.
            match (memory, internal.or(validation)) {
                (Some(error), _) => Err(GpuError::OutOfMemory(error.to_string())),
                (None, Some(error)) => Err(GpuError::Refused(error.to_string())),
                (None, None) => Ok(()),
            }
        }
    }
}

/// A note that a callback of the device leaves.
#[derive(Clone, Default)]
pub(super) struct Note(Arc<Mutex<Option<String>>>);

impl Note {
    pub(super) fn write(&self, text: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
    }

    pub(super) fn read(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
