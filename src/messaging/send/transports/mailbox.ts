import { type DeliveryResult, eachAlone, failed, type OutgoingMessage, sent, type Transport } from './port.ts';

export interface MailboxOptions {
  channel: 'email' | 'sms';
  /** Stores the message; a second call with the same `id` must change nothing, because a failure is retried. */
  store(message: OutgoingMessage): Promise<void>;
  concurrency?: number;
}

/** Replaces a provider if none is set: messages are stored here and can be read in the admin app. */
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
