/** Calls back when the browser loses or regains its connection. */
export function onConnection(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

const ASKED_EVERY_MS = 2_000;

/** Resolves once the server responds. The browser's own connection state is not enough: a server may be on this machine, or down. */
async function whenReachable(): Promise<void> {
  for (;;) {
    try {
      await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' });
      return;
    } catch {
      await connectionOr(ASKED_EVERY_MS);
    }
  }
}

function connectionOr(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = onConnection(done);
    const timer = setTimeout(done, ms);
    function done(): void {
      stop();
      clearTimeout(timer);
      resolve();
    }
  });
}

/**
 * Loads a part of the app, and waits for the server if it cannot be reached: the router reloads the app when a part
 * fails to load, and without a server the app would be gone.
 */
export async function loadReachable<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    await whenReachable();
    return load();
  }
}
