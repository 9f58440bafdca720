import { ApiError, errorOf } from './errors.ts';

/** What the transport needs from the app, which sets it once. */
export const hooks = {
  /** Called when the session has ended: the sign-in page takes over. */
  signedOut: () => {},
  /** Makes the person enter the password again; returns false if they declined. */
  confirm: async (): Promise<boolean> => false,
};

/** A busy server asks to wait a few seconds; a longer limit, such as after wrong passwords, is reported at once. */
const LONGEST_WAIT_S = 3;
const MOST_WAITS = 2;

/**
 * fetch with what the server requires of the app: sends the header that no form of another site can send, repeats a
 * request after the person confirmed their identity, or when a busy server asked to retry soon (a request refused with
 * 429 had no effect), and turns a network failure into an ApiError of status 0.
 */
export async function send(request: Request): Promise<Response> {
  const again = request.clone();
  let response = await once(request);
  for (let waits = 0; waits < MOST_WAITS && comesBackSoon(response); waits++) {
    await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('Retry-After')) * 1_000));
    response = await once(again.clone());
  }
  if (response.status === 401 && !isSignIn(request)) hooks.signedOut();
  if (response.status === 403 && (await wantsConfirmation(response)) && (await hooks.confirm())) return once(again);
  return response;
}

async function once(request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  if (request.method !== 'GET') {
    headers.set('X-Tradeloom-Admin', '1');
    if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  }
  try {
    return await fetch(new Request(request, { headers, credentials: 'same-origin' }));
  } catch (error) {
    // Aborted by this app: that says nothing about the server.
    if (error instanceof DOMException && ['AbortError', 'TimeoutError'].includes(error.name)) throw error;
    throw new ApiError(0, 'offline', String(error));
  }
}

function comesBackSoon({ status, headers }: Response): boolean {
  const after = headers.get('Retry-After');
  return status === 429 && after !== null && Number(after) <= LONGEST_WAIT_S;
}

function isSignIn(request: Request): boolean {
  return /\/admin\/api\/(session|links)(\/|$)/.test(new URL(request.url).pathname);
}

async function wantsConfirmation(response: Response): Promise<boolean> {
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as unknown;
  return errorOf(response.status, body).code === 'confirmation_required';
}
