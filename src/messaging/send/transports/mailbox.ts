import { type DeliveryResult, eachAlone, failed, type OutgoingMessage, sent, type Transport } from './port.ts';

export interface MailboxOptions {
  channel: 'email' | 'sms';
  /** Keeps the message; a second call with the same `id` must change nothing, since a failure is tried again. */
  store(message: OutgoingMessage): Promise<void>;
  concurrency?: number;
}

/** Stands in for a provider where none is set: messages stay here, to be read in the admin app. */
export function createMailboxTransport({ channel, store, concurrency = 5 }: MailboxOptions): Transport {
  async function deliver(message: OutgoingMessage, signal: AbortSignal): Promise<DeliveryResult> {
    if (message.channel !== channel) throw new Error(`This mailbox takes ${channel} only`);
    if (signal.aborted) return failed('service', 'aborted', { permanent: false });
    try {
      await store(message);
      return sent('Kept in the mailbox');
    } catch (error) {
      return failed('service', error instanceof Error ? error.message : 'not stored', { permanent: false });
    }
  }

  return {
    name: 'mailbox',
    channel,
    provider: 'mailbox',
    takes: 'content',
    concurrency,
    rate: null,
    deliver,
    ...eachAlone(deliver),
    async close() {},
  };
}
