import { eachAlone, failed, type Transport } from './port.ts';

/** Used without a provider and a mailbox: messages are held before they get here; any that do are not sent. */
export function createMissingTransport(channel: 'email' | 'sms', setting: string): Transport {
  return createUnusableTransport(channel, `${setting} is not set`);
}

/** For an unusable provider: messages wait, as for one that is down. */
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
