/** The compiled filter kernels, which the bundler puts into the script. */
declare module 'kernels.wasm' {
  const code: Uint8Array
  export default code
}
