/** Calls back when the browser loses or regains its connection. */
export function onConnection(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Once the browser has a connection. */
function whenOnline(): Promise<void> {
  if (navigator.onLine) return Promise.resolve();
  return new Promise((resolve) => addEventListener('online', () => resolve(), { once: true }));
}

/**
 * Loads a part of the app, without a connection once it is back: where a part cannot be loaded the router reloads the app, which without
 * a connection would be gone.
 */
export async function loadOnline<Part>(load: () => Promise<Part>): Promise<Part> {
  await whenOnline();
  try {
    return await load();
  } catch (error) {
    await whenOnline();
    throw error;
  }
}
