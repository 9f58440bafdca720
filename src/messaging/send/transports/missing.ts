import { eachAlone, failed, type Transport } from './port.ts';

/** Where there is no provider and no mailbox: messages are held before they come here; what comes is not sent. */
export function createMissingTransport(channel: 'email' | 'sms', setting: string): Transport {
  return createUnusableTransport(channel, `${setting} is not set`);
}

/** Of a provider that cannot be asked: what comes waits, as it does for one that is down. */
export function createUnusableTransport(channel: 'email' | 'sms', reason: string): Transport {
  const deliver: Transport['deliver'] = async () => failed('service', reason, { permanent: false });
  return {
    name: 'none',
    channel,
    provider: 'none',
    takes: 'content',
    concurrency: 1,
    rate: null,
    deliver,
    ...eachAlone(deliver),
    async close() {},
  };
}
