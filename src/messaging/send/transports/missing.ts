import { eachAlone, failed, type Transport } from './port.ts';

/** Where there is no provider and no mailbox: messages are held before they come here; what comes is not sent. */
export function createMissingTransport(channel: 'email' | 'sms', setting: string): Transport {
  const deliver: Transport['deliver'] = async () => failed('service', `${setting} is not set`, { permanent: false });
  return {
    name: 'none',
    channel,
    provider: 'none',
    concurrency: 1,
    rate: null,
    deliver,
    ...eachAlone(deliver),
    async close() {},
  };
}
