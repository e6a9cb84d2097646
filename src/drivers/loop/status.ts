/** An opaque answer has the status 0, and the answer of a mock may have none. */
export function isStatus(status: number | undefined): status is number {
  return typeof status === 'number' && status !== 0;
}
