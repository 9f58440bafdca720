import type { ConnectionOptions } from 'node:tls';
import { monotonicMs } from '../../../clock.ts';
import { normaliseEmail } from '../../../lib/addresses.ts';
import { MAX_CONNECTIONS, MAX_RATE, numberOf } from './parameters.ts';
import { type DeliveryResult, failed, type OutgoingEmail, type OutgoingMessage, type Transport } from './port.ts';
import type { Letter } from './smtp-pipeline.ts';
import { type SmtpServer, SmtpSession, type SmtpTimeouts } from './smtp-session.ts';
import { parseSmtpUrl } from './smtp-url.ts';
import { createTurns } from './turns.ts';

export interface SmtpOptions {
  /**
   * `smtp://user:password@host:587` or `smtps://…:465`, user and password percent-encoded. `?tls=required|offered|off`
   * says what to do about STARTTLS: by default it is required where there is a password and the host is not this
   * machine, and used where offered otherwise. `&connections=20` is how many there are at most (1 to 100, 10 by
   * default); `&rate=14` how many messages per second all processes together hand over at most; `&batch=20` how many messages of a
   * campaign one connection takes together (1 to 100, 1 by default): faster, but after a crash at most so many per
   * connection are unknown.
   */
  url: string;
  timeouts?: Partial<SmtpTimeouts>;
  tls?: ConnectionOptions;
}

const TIMEOUTS: SmtpTimeouts = { connect: 3_000, greeting: 5_000, silence: 30_000 };
/** Many relays end a session after some hundred messages; an idle one after about a minute. */
const MESSAGES_PER_SESSION = 100;
const IDLE_MS = 20_000;
const CONNECTIONS = 10;
/** A batch begins no message later than so: all are to be settled before the lease of their hand-over ends. */
const BATCH_MS = 60_000;
/** Sessions that a batch may lose without a single reply to its messages. */
const LOST_SESSIONS = 3;

/** Keeps its connections between messages; opens one when a message finds none free. */
export function createSmtpTransport(options: SmtpOptions): Transport {
  const parsed = parseSmtpUrl(options.url);
  const address = new URL(options.url);
  const concurrency = numberOf(address, 'SMTP_URL', 'connections', MAX_CONNECTIONS) ?? CONNECTIONS;
  const rate = numberOf(address, 'SMTP_URL', 'rate', MAX_RATE);
  // With a rate, a tenth of a second's worth: many at once and then none would be over it now and then.
  const batch = Math.min(
    numberOf(address, 'SMTP_URL', 'batch', 100) ?? 1,
    Math.max(1, Math.floor((rate ?? 1_000) / 10)),
  );
  const server: SmtpServer = {
    ...parsed,
    tlsOptions: options.tls ?? {},
    timeouts: { ...TIMEOUTS, ...options.timeouts },
  };
  /** Free sessions with the timers that will end them; the youngest are used first, so that surplus ones grow old. */
  const idle = new Map<SmtpSession, NodeJS.Timeout>();
  const turns = createTurns(concurrency);
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

  async function hand(message: OutgoingEmail, signal: AbortSignal): Promise<DeliveryResult> {
    const raw = await rawOf(message);
    if (!Buffer.isBuffer(raw)) return raw;
    for (;;) {
      const kept = takeKept();
      let session: SmtpSession;
      try {
        session = kept ?? (await SmtpSession.open(server, signal));
      } catch (error) {
        return notOpened(error);
      }
      const { result, usable, stale } = await session.transmit(message, raw, signal);
      if (usable) keep(session);
      else session.quit();
      // A kept connection that the server ended in the meantime says nothing about the message.
      if (!kept || !stale) return result;
    }
  }

  /** Several messages through one session after the other, until each has a result. */
  async function handAll(messages: OutgoingEmail[], signal: AbortSignal): Promise<DeliveryResult[]> {
    const until = monotonicMs() + BATCH_MS;
    const raws = await Promise.all(messages.map(rawOf));
    const results = raws.map((raw) => (Buffer.isBuffer(raw) ? null : raw));
    const open = (): number[] => [...results.keys()].filter((i) => results[i] === null);
    let reason = signal.aborted ? 'aborted' : 'no time left';
    for (let lost = 0; open().length > 0 && lost < LOST_SESSIONS && monotonicMs() < until && !signal.aborted; ) {
      let session: SmtpSession;
      try {
        session = takeKept() ?? (await SmtpSession.open(server, signal));
      } catch (error) {
        return results.map((result) => result ?? notOpened(error));
      }
      const some = open()
        .filter((i) => session.takesTogether(messages[i]!, raws[i] as Buffer))
        .slice(0, Math.max(1, MESSAGES_PER_SESSION - session.handedOver));
      if (some.length === 0) {
        keep(session);
        for (const i of open()) results[i] = await hand(messages[i]!, signal);
        break;
      }
      const letters = some.map(
        (i): Letter => ({ from: messages[i]!.from, to: messages[i]!.to, raw: raws[i] as Buffer }),
      );
      const outcome = await session.transmitAll(letters, until, signal);
      if (outcome.usable) keep(session);
      else reason = outcome.reason;
      some.forEach((i, n) => {
        results[i] = outcome.results[n]!;
      });
      if (outcome.results.every((result) => result === null)) lost += 1;
    }
    return results.map((result) => result ?? failed('service', reason, { permanent: false }));
  }

  const refused = (signal: AbortSignal): DeliveryResult | null =>
    closed || signal.aborted ? failed('service', closed ? 'shut down' : 'aborted', { permanent: false }) : null;

  return {
    name: 'smtp',
    channel: 'email',
    provider: `${parsed.auth?.user ?? ''}@${parsed.host}:${parsed.port}`,
    concurrency,
    rate,
    batch,
    async deliver(message, signal) {
      return faultOf(message) ?? turns.take(async () => refused(signal) ?? hand(message as OutgoingEmail, signal));
    },
    async deliverAll(messages, signal) {
      const results: (DeliveryResult | null)[] = messages.map(faultOf);
      const fit = [...results.keys()].filter((i) => results[i] === null);
      const handed = await turns.take(async () => {
        const no = refused(signal);
        if (no !== null) return fit.map(() => no);
        return handAll(
          fit.map((i) => messages[i] as OutgoingEmail),
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
      await turns.done();
      for (const session of [...idle.keys()]) {
        release(session);
        session.quit();
      }
    },
  };
}

/** What keeps a message from being handed over at all; throws for one of another channel. */
function faultOf(message: OutgoingMessage): DeliveryResult | null {
  if (message.channel !== 'email') throw new Error('The SMTP transport takes e-mails only');
  if (!normaliseEmail(message.to)) return failed('recipient', 'not an e-mail address', { permanent: true });
  if (!normaliseEmail(message.from))
    return failed('message', 'the sender is not an e-mail address', { permanent: true });
  return null;
}

async function rawOf(message: OutgoingEmail): Promise<Buffer | DeliveryResult> {
  try {
    return await message.raw();
  } catch (error) {
    return failed('message', error instanceof Error ? error.message : 'not built', { permanent: true });
  }
}

/** A refused login is our configuration, not the message: the message is retried once it is fixed. */
function notOpened(error: unknown): DeliveryResult {
  return failed('service', error instanceof Error ? error.message : 'no connection', { permanent: false });
}
