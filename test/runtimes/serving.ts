/** Starting what serves HTTP: the configuration of workerd, and patience. */

/** Without any compatibility flag. */
export const workerdConfig = (port: number, script: string): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "${script}")],
  compatibilityDate = "2025-09-01",
);
`;

/** Not all of them say when they listen. */
export async function patiently(url: string): Promise<Response> {
  for (let triesLeft = 300; ; triesLeft -= 1) {
    try {
      return await fetch(url);
    } catch (error) {
      if (triesLeft === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
