// Tyto from Rust: the gradient of a closure, a compiled program, and an error as a Result.
//
//     python3 declarations.py /usr/share/tyto/tyto.json tyto.rs
//     rustc --edition 2021 gradient.rs -l tyto && ./gradient
mod tyto;
use std::ffi::CStr;
use std::os::raw::c_void;
use tyto::*;

/// Owns one reference to a tensor; dropping it frees the tensor.
struct Tensor(*mut ty_tensor);

impl Drop for Tensor {
    fn drop(&mut self) {
        unsafe { ty_release(self.0) }
    }
}

impl Tensor {
    /// Take the result of a function, which the innermost scope owns, or return its error.
    fn of(x: *mut ty_tensor) -> Result<Tensor, String> {
        unsafe {
            if ty_ok(x) {
                Ok(Tensor(ty_retain(x)))
            } else {
                Err(CStr::from_ptr(ty_error(x)).to_string_lossy().into_owned())
            }
        }
    }
    fn from(elements: &[f64]) -> Result<Tensor, String> {
        let size = elements.len() as i64;
        Tensor::of(unsafe { ty_from(TY_F64, 1, &size, elements.as_ptr().cast()) })
    }
    fn values(&self) -> Result<Vec<f64>, String> {
        let value = Tensor::of(unsafe { ty_eval(self.0) })?; // a promise may fail
        let mut values = vec![0.0; unsafe { ty_size(value.0) } as usize];
        unsafe { ty_read(value.0, TY_F64, values.as_mut_ptr().cast()) };
        Ok(values)
    }
}

/// A scope of C, which owns what functions return until its end.
struct Scope(*mut ty_scope);

impl Scope {
    fn open() -> Scope {
        Scope(unsafe { ty_open() })
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        unsafe { ty_close(self.0) }
    }
}

/// Call the closure behind `context`.  It must not panic: Rust 1.81 and later end the program then.
unsafe extern "C" fn call<F: FnMut(*mut ty_tensor) -> *mut ty_tensor>(
    context: *mut c_void,
    x: *const *mut ty_tensor,
) -> *mut ty_tensor {
    (*context.cast::<F>())(*x)
}

/// Return f(x) and its gradient.
fn value_and_grad<F: FnMut(*mut ty_tensor) -> *mut ty_tensor>(
    mut f: F,
    x: &Tensor,
) -> Result<(Tensor, Tensor), String> {
    let (mut value, mut gradient) = (std::ptr::null_mut(), std::ptr::null_mut());
    let context = (&mut f as *mut F).cast();
    unsafe { ty_value_and_grad(Some(call::<F>), context, 1, &x.0, &mut value, &mut gradient) };
    Ok((Tensor::of(value)?, Tensor::of(gradient)?))
}

fn compute() -> Result<(), String> {
    let _scope = Scope::open();
    let x = Tensor::from(&[1.0, 2.0, 3.0])?;
    let mut calls = 0;
    let (value, gradient) = value_and_grad(
        |x| {
            calls += 1;
            unsafe { ty_sum(ty_mul(ty_mul(x, x), x), TY_ALL) }
        },
        &x,
    )?;
    println!(
        "{:?} {:?}, {} call",
        value.values()?,
        gradient.values()?,
        calls
    ); // of x * x * x

    let variable = unsafe { ty_var(x.0, b"x\0".as_ptr().cast()) };
    let y = unsafe { ty_exp(ty_neg(variable)) };
    let options = ty_compile_options {
        shadow: true,
        ..Default::default()
    };
    let program = unsafe { ty_compile(1, &y, options) };
    let done = unsafe { ty_run(program) };
    let result = Tensor::of(unsafe { ty_output(program, 0) })?; // outlives the program
    let kernels = {
        let mut report = ty_report::default();
        unsafe { ty_program_report(program, &mut report) };
        report.kernels
    };
    unsafe { ty_program_free(program) };
    println!("{} {:.4?}, {} kernel", done, result.values()?, kernels);

    // A promise may fail when it is evaluated.
    let index = unsafe {
        ty_var(
            ty_from(TY_I64, 1, &1, [3i64].as_ptr().cast()),
            std::ptr::null(),
        )
    };
    let beyond = Tensor::of(unsafe { ty_take(y, index, 0) })?;
    println!("{}", beyond.values().err().unwrap_or_default());

    let other = Tensor::from(&[1.0, 2.0])?;
    let refused = Tensor::of(unsafe { ty_add(x.0, other.0) });
    println!("{}", refused.err().unwrap_or_default());
    Ok(())
}

fn main() {
    if let Err(sentence) = compute() {
        eprintln!("{sentence}");
        std::process::exit(1);
    }
}
