/** Sends that many requests, with at most `concurrency` in progress at a time. */
export async function inLines(
  concurrency: number,
  requests: number,
  send: (index: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0;
  const line = async (): Promise<void> => {
    while (begun < requests) {
      begun += 1;
      await send(begun - 1);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, line));
}
