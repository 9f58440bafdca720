import type { Faults } from './faults.ts';

export interface WebhookMessage {
  url: string;
  /** Such as `payment_intent.succeeded`, for tests to look at. */
  about: string;
  /** Signs the message, if the service does, at the moment when it is sent. */
  sign(forged: boolean): { headers: Record<string, string>; body: string };
}

export interface WebhookSender {
  /** Sends the message, with the fault that its turn has. Messages are sent one after another. */
  send(message: WebhookMessage): void;
  /** Sends those that are delayed, and again those that were not received (lost connection, or a status other than 2xx). */
  release(): Promise<void>;
  /** Resolves when no message is on its way; delayed ones stay. */
  idle(): Promise<void>;
  /** What arrived, with the status of the response; 0: no response. */
  readonly sent: readonly { url: string; about: string; status: number; forged: boolean }[];
  /** How many messages wait for `release`. */
  readonly held: number;
}

/** Sends the webhooks of a double. */
export function createWebhookSender(faults: Faults, timeoutMs = 10_000): WebhookSender {
  const sent: { url: string; about: string; status: number; forged: boolean }[] = [];
  let held: WebhookMessage[] = [];
  /** Are sent after the next message. */
  let overtaken: WebhookMessage[] = [];
  let tail = Promise.resolve();

  function enqueue(message: WebhookMessage, forged = false): void {
    tail = tail.then(() => post(message, forged));
  }

  async function post(message: WebhookMessage, forged: boolean): Promise<void> {
    const { url, about } = message;
    const { headers, body } = message.sign(forged);
    let status = 0;
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) });
      await response.arrayBuffer();
      status = response.status;
    } catch {
      // Status 0 says so; `release` sends it again.
    }
    sent.push({ url, about, status, forged });
    if (!forged && (status < 200 || status > 299)) held.push(message);
  }

  function send(message: WebhookMessage): void {
    const fault = faults.ofWebhook();
    if (fault === 'lost') return;
    if (fault === 'delayed') {
      held.push(message);
      return;
    }
    if (fault === 'reordered') {
      overtaken.push(message);
      return;
    }
    if (fault === 'forged') enqueue(message, true);
    enqueue(message);
    if (fault === 'duplicated') enqueue(message);
    for (const earlier of overtaken) enqueue(earlier);
    overtaken = [];
  }

  return {
    send,
    release: async () => {
      await tail;
      const waiting = [...overtaken, ...held];
      overtaken = [];
      held = [];
      for (const message of waiting) enqueue(message);
      await tail;
    },
    idle: async () => {
      let seen: Promise<void>;
      do {
        seen = tail;
        await seen;
      } while (seen !== tail);
    },
    sent,
    get held() {
      return held.length + overtaken.length;
    },
  };
}
