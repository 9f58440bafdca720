import type { LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { monotonicMs } from '../../../clock.ts';
import { normaliseEmail } from '../../../lib/addresses.ts';
import { FairQueue } from '../../../lib/fair-queue.ts';
import { MAX_CONNECTIONS, MAX_RATE, numberOf } from './parameters.ts';
import { type DeliveryResult, failed, type OutgoingEmail, type OutgoingMessage, type Transport } from './port.ts';
import type { SmtpServer, SmtpTimeouts } from './smtp-connection.ts';
import type { Letter } from './smtp-pipeline.ts';
import { SmtpSession } from './smtp-session.ts';
import { parseSmtpUrl } from './smtp-url.ts';

export interface SmtpOptions {
  /**
   * `smtp://user:password@host:587` or `smtps://…:465`, user and password percent-encoded. `?tls=required|offered|off` controls STARTTLS:
   * by default it is required if there is a password and the host is not this machine, and used if offered otherwise. `&connections=20` is
   * the maximum number of connections (1 to 100, 10 by default); `&rate=14` is the maximum number of messages per second across all
   * processes; `&batch=20` is the number of a campaign's messages that one connection takes together (1 to 100, 1 by default): faster, but
   * after a crash up to that many per connection are unknown.
   */
  url: string;
  timeouts?: Partial<SmtpTimeouts>;
  tls?: ConnectionOptions;
  /** How the host name is resolved; by the system if absent. */
  lookup?: LookupFunction;
}

const TIMEOUTS: SmtpTimeouts = { connect: 3_000, greeting: 5_000, silence: 30_000 };
/** Many relays end a session after some hundred messages; an idle one after about a minute. */
const MESSAGES_PER_SESSION = 100;
const IDLE_MS = 20_000;
const CONNECTIONS = 10;
/** A batch starts no message after this time, so that all are settled before the lease of their hand-over ends. */
const BATCH_MS = 60_000;
const PLAIN_ADDRESS = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;
/** Sessions of its own that a batch may lose without a single reply to its messages. */
const LOST_SESSIONS = 3;

/** Keeps its connections between messages; opens one when a message finds none free. */
export function createSmtpTransport(options: SmtpOptions): Transport {
  const parsed = parseSmtpUrl(options.url);
  const address = new URL(options.url);
  const concurrency = numberOf(address, 'SMTP_URL', 'connections', MAX_CONNECTIONS) ?? CONNECTIONS;
  const rate = numberOf(address, 'SMTP_URL', 'rate', MAX_RATE);
  // With a rate, a batch is at most a tenth of a second's messages: larger bursts would exceed it at times.
  const batch = Math.min(
    numberOf(address, 'SMTP_URL', 'batch', 100) ?? 1,
    Math.max(1, Math.floor((rate ?? 1_000) / 10)),
  );
  const server: SmtpServer = {
    ...parsed,
    tlsOptions: options.tls ?? {},
    lookup: options.lookup,
    timeouts: { ...TIMEOUTS, ...options.timeouts },
  };
  /** Free sessions with the timers that end them. The newest are used first, so that surplus ones expire. */
  const idle = new Map<SmtpSession, NodeJS.Timeout>();
  /** An account has one owner, its company. */
  const connections = new FairQueue({
    capacity: concurrency,
    share: concurrency,
    maxWaiting: Number.POSITIVE_INFINITY,
  });
  let closed = false;

  function keep(session: SmtpSession): void {
    if (closed || session.handedOver >= MESSAGES_PER_SESSION) {
      session.quit();
      return;
    }
    session.onEnd(() => release(session));
    const quit = () => {
      release(session);
      session.quit();
    };
    idle.set(session, setTimeout(quit, IDLE_MS).unref());
  }

  function release(session: SmtpSession): void {
    clearTimeout(idle.get(session));
    idle.delete(session);
  }

  function takeKept(): SmtpSession | undefined {
    const kept = [...idle.keys()].at(-1);
    if (kept) release(kept);
    return kept;
  }

  /** Hands over messages through one session after the other until each has a result; gives up new ones after `lostSessions` losses. */
  async function hand(messages: OutgoingEmail[], lostSessions: number, signal: AbortSignal): Promise<DeliveryResult[]> {
    const until = monotonicMs() + BATCH_MS;
    const letters = await Promise.all(messages.map(letterOf));
    const results = letters.map((letter) => ('raw' in letter ? null : letter));
    const open = (): number[] => [...results.keys()].filter((i) => results[i] === null);
    let reason = signal.aborted ? 'aborted' : 'no time left';
    for (let lost = 0; open().length > 0 && lost < lostSessions && monotonicMs() < until && !signal.aborted; ) {
      const kept = takeKept();
      let session: SmtpSession;
      try {
        session = kept ?? (await SmtpSession.open(server, signal));
      } catch (error) {
        return results.map((result) => result ?? notOpened(error));
      }
      const some = open().slice(0, Math.max(1, MESSAGES_PER_SESSION - session.handedOver));
      const outcome = await session.transmit(
        some.map((i) => letters[i] as Letter),
        until,
        signal,
      );
      if (outcome.usable) keep(session);
      else reason = outcome.reason;
      some.forEach((i, n) => {
        results[i] = outcome.results[n]!;
      });
      // A kept session that the server has ended meanwhile says nothing about the messages.
      if (kept === undefined && outcome.results.every((result) => result === null)) lost += 1;
    }
    return results.map((result) => result ?? failed('service', reason, { permanent: false }));
  }

  const refused = (signal: AbortSignal): DeliveryResult | null =>
    closed || signal.aborted ? failed('service', closed ? 'shut down' : 'aborted', { permanent: false }) : null;

  return {
    name: 'smtp',
    channel: 'email',
    takes: 'bytes',
    provider: `${parsed.auth?.user ?? ''}@${parsed.host}:${parsed.port}`,
    concurrency,
    rate,
    batch,
    async deliver(message, signal) {
      const fault = faultOf(message);
      if (fault !== null) return fault;
      return connections.run(0, async () => refused(signal) ?? (await hand([message as OutgoingEmail], 1, signal))[0]!);
    },
    async deliverAll(messages, signal) {
      const results: (DeliveryResult | null)[] = messages.map(faultOf);
      const fit = [...results.keys()].filter((i) => results[i] === null);
      const handed = await connections.run(0, async () => {
        const no = refused(signal);
        if (no !== null) return fit.map(() => no);
        return hand(
          fit.map((i) => messages[i] as OutgoingEmail),
          LOST_SESSIONS,
          signal,
        );
      });
      fit.forEach((i, n) => {
        results[i] = handed[n]!;
      });
      return results.map((result) => result!);
    },
    async close() {
      closed = true;
      await connections.idle();
      for (const session of [...idle.keys()]) {
        release(session);
        session.quit();
      }
    },
  };
}

/** Returns why a message cannot be handed over at all; throws for one of another channel. */
function faultOf(message: OutgoingMessage): DeliveryResult | null {
  if (message.channel !== 'email') throw new Error('The SMTP transport takes e-mails only');
  if (!normaliseEmail(message.to)) return failed('recipient', 'not an e-mail address', { permanent: true });
  if (!normaliseEmail(message.from))
    return failed('message', 'the sender is not an e-mail address', { permanent: true });
  return null;
}

async function letterOf(message: OutgoingEmail): Promise<Letter | DeliveryResult> {
  try {
    return { from: bareAddress(message.from), to: bareAddress(message.to), raw: await message.raw() };
  } catch (error) {
    return failed('message', error instanceof Error ? error.message : 'not built', { permanent: true });
  }
}

/** Formats an address for a command: an international domain in its ASCII form. */
function bareAddress(address: string): string {
  return PLAIN_ADDRESS.test(address) ? address : normaliseEmail(address)!;
}

/** A refused login is a fault of our configuration, not of the message, which is retried once that is fixed. */
function notOpened(error: unknown): DeliveryResult {
  return failed('service', error instanceof Error ? error.message : 'no connection', { permanent: false });
}
