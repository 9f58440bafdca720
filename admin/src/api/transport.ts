import { ApiError, errorOf } from './errors.ts';

/** What the transport asks of the app; set once by it. */
export const hooks = {
  /** The session ended: the sign-in page takes over. */
  signedOut: () => {},
  /** Asks for the password again; false where the person declined. */
  confirm: async (): Promise<boolean> => false,
};

/** A busy server names a few seconds; who is limited, such as by wrong passwords, is told at once. */
const LONGEST_WAIT_S = 3;
const MOST_WAITS = 2;

/**
 * fetch with what the server requires of the app: the header that no form of another site can send, a repeated request
 * after the person confirmed who they are or when a busy server said to come back soon (what it refuses with 429 it has not done), and
 * a network failure as an ApiError of status 0.
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
    // Given up by this app: that tells nothing of the server.
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
