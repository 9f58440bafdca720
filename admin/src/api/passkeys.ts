import { accountApi, type Session } from './account.ts';
import { ok } from './client.ts';
import { ApiError } from './errors.ts';

/** Loaded when somebody uses a passkey. */
const webauthn = () => import('@simplewebauthn/browser');

/** Browsers support passkeys for host names, not for addresses such as 127.0.0.1. */
export function passkeysPossible(): boolean {
  return window.isSecureContext && 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);
}

/** The person closed the browser's prompt or let it time out, or the device has no passkey: the browser does not distinguish these. */
function declined(error: unknown): never {
  throw error instanceof Error && error.name !== 'ApiError'
    ? new ApiError(400, 'passkey_declined', error.message)
    : error;
}

/** Signs in; the browser asks which account. @throws ApiError */
export async function signInByPasskey(): Promise<Session> {
  const { startAuthentication } = await webauthn();
  const { options } = await ok(accountApi.POST('/session/passkey/options'));
  const credential = await startAuthentication({ optionsJSON: options as never }).catch(declined);
  return ok(accountApi.POST('/session/passkey', { body: { credential } as never }));
}

/** @throws ApiError */
export async function confirmByPasskey(): Promise<void> {
  const { startAuthentication } = await webauthn();
  const { options } = await ok(accountApi.POST('/session/confirm/passkey/options'));
  const credential = await startAuthentication({ optionsJSON: options as never }).catch(declined);
  await ok(accountApi.POST('/session/confirm/passkey', { body: { credential } as never }));
}

/** Creates a passkey on the person's device, and stores it under the name. @throws ApiError */
export async function createPasskey(name: string): Promise<void> {
  const { startRegistration } = await webauthn();
  const { options } = await ok(accountApi.POST('/me/passkeys/options'));
  const credential = await startRegistration({ optionsJSON: options as never }).catch(declined);
  await ok(accountApi.POST('/me/passkeys', { body: { name, credential } as never }));
}
