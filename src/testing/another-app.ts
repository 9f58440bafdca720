import { createApp, type RunningApp } from '../app.ts';
import type { TestServer } from './harness.ts';
import { serveThings } from './probe.ts';

/** Starts another process's app on the same database, with the endpoints of `things`. */
export async function anotherApp(
  server: TestServer,
): Promise<{ running: RunningApp; origin: string; stop(): Promise<void> }> {
  const { config } = server.app;
  const running = await createApp({ config, clock: server.clock, connection: server.connection, logTo: server.logTo });
  const probe = await serveThings(running.app);
  return {
    running,
    origin: probe.origin,
    stop: async () => {
      await probe.close();
      await running.stop();
    },
  };
}
