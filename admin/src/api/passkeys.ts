import type {
  PublicKeyCredentialCreationOptionsJSON as CreationOptions,
  PublicKeyCredentialRequestOptionsJSON as RequestOptions,
} from '@simplewebauthn/browser';
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

/** Returns the options in the library's type: its own server half made them, which the API describes as an object of any fields. */
function typed<Options>(options: unknown): Options {
  return options as Options;
}

/** Returns the credential as a request's body describes it: its extensions are an object of any fields. */
function sent<Credential extends { clientExtensionResults: object }>({ clientExtensionResults, ...rest }: Credential) {
  const extensions: Record<string, unknown> = { ...clientExtensionResults };
  return { ...rest, clientExtensionResults: extensions };
}

/** Signs in; the browser asks which account. @throws ApiError */
export async function signInByPasskey(): Promise<Session> {
  const { startAuthentication } = await webauthn();
  const { options } = await ok(accountApi.POST('/session/passkey/options'));
  const credential = await startAuthentication({ optionsJSON: typed<RequestOptions>(options) }).catch(declined);
  return ok(accountApi.POST('/session/passkey', { body: { credential: sent(credential) } }));
}

/** @throws ApiError */
export async function confirmByPasskey(): Promise<void> {
  const { startAuthentication } = await webauthn();
  const { options } = await ok(accountApi.POST('/session/confirm/passkey/options'));
  const credential = await startAuthentication({ optionsJSON: typed<RequestOptions>(options) }).catch(declined);
  await ok(accountApi.POST('/session/confirm/passkey', { body: { credential: sent(credential) } }));
}

/** Creates a passkey on the person's device, and stores it under the name. @throws ApiError */
export async function createPasskey(name: string): Promise<void> {
  const { startRegistration } = await webauthn();
  const { options } = await ok(accountApi.POST('/me/passkeys/options'));
  const credential = await startRegistration({ optionsJSON: typed<CreationOptions>(options) }).catch(declined);
  await ok(accountApi.POST('/me/passkeys', { body: { name, credential: sent(credential) } }));
}
