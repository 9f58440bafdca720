import type { Tab } from './chromium.ts';

/** A device that holds passkeys and says yes to everything. The page is to be opened at localhost: no passkey is for an IP address. */
export async function addAuthenticator({ context, page }: Pick<Tab, 'context' | 'page'>): Promise<void> {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
