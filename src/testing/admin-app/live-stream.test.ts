import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { follow, LIVE_KINDS } from '../../../admin/src/app/live-stream.ts';

/** A stream whose fate the test decides. */
class Stream extends EventTarget {
  static readonly CLOSED = 2;
  static readonly all: Stream[] = [];
  readyState = 1;
  constructor() {
    super();
    Stream.all.push(this);
  }
  close(): void {
    this.readyState = Stream.CLOSED;
  }
  /** As after a response that is no stream. */
  refuse(): void {
    this.close();
    this.dispatchEvent(new Event('error'));
  }
  change(...kinds: string[]): void {
    this.dispatchEvent(new MessageEvent('change', { data: JSON.stringify({ kinds }) }));
  }
}

const told: (readonly string[])[] = [];
let refusals = 0;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
  vi.stubGlobal('navigator', {});
  Stream.all.length = 0;
  told.length = 0;
  refusals = 0;
  stop = follow(
    7,
    (kinds) => told.push(kinds),
    () => refusals++,
  );
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a stream that was refused is opened again after a while, and everything is asked for that it cannot tell of', () => {
  const [first] = Stream.all;
  first!.dispatchEvent(new Event('open'));
  first!.dispatchEvent(new Event('ready'));
  first!.change('orders');
  expect(told).toEqual([['orders']]);
  first!.refuse();
  expect(refusals).toBe(1);
  vi.advanceTimersByTime(29_000);
  expect(Stream.all).toHaveLength(1);
  vi.advanceTimersByTime(1_000);
  const second = Stream.all[1]!;
  expect(told).toEqual([['orders']]);
  second.dispatchEvent(new Event('open'));
  // It reports what changes from now on.
  second.dispatchEvent(new Event('ready'));
  expect(told).toEqual([['orders'], LIVE_KINDS]);
  // That the browser connects again by itself, which goes on where it was.
  second.dispatchEvent(new Event('error'));
  second.dispatchEvent(new Event('open'));
  second.dispatchEvent(new Event('ready'));
  second.change('lists');
  expect(told.slice(2)).toEqual([['lists']]);
});

test('a stream that was lost before it was ready has nothing to go on from: everything is asked for once it is', () => {
  const [stream] = Stream.all;
  stream!.dispatchEvent(new Event('error'));
  stream!.dispatchEvent(new Event('open'));
  expect(told).toEqual([]);
  stream!.dispatchEvent(new Event('ready'));
  expect(told).toEqual([LIVE_KINDS]);
  stream!.dispatchEvent(new Event('error'));
  stream!.dispatchEvent(new Event('ready'));
  expect(told).toHaveLength(1);
});

/** Locks of a browser, of which each has one holder. */
class Locks {
  private held = false;
  private readonly waiting: (() => void)[] = [];
  async request(
    _name: string,
    { ifAvailable = false }: { ifAvailable?: boolean },
    callback: (lock: object | null) => Promise<unknown>,
  ): Promise<unknown> {
    if (this.held && ifAvailable) return callback(null);
    while (this.held) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.held = true;
    return callback({}).finally(() => {
      this.held = false;
      this.waiting.shift()?.();
    });
  }
}

test('a window that takes the stream over from one that was closed asks for everything once it is ready', async () => {
  vi.stubGlobal('navigator', { locks: new Locks() });
  Stream.all.length = 0;
  const [first, second]: (readonly string[])[][] = [[], []];
  const windows = [first, second].map((heard) =>
    follow(
      8,
      (kinds) => heard!.push(kinds),
      () => {},
    ),
  );
  await vi.advanceTimersByTimeAsync(0);
  expect(Stream.all).toHaveLength(1);
  Stream.all[0]!.dispatchEvent(new Event('ready'));
  windows[0]!();
  await vi.advanceTimersByTimeAsync(0);
  expect(Stream.all).toHaveLength(2);
  Stream.all[1]!.dispatchEvent(new Event('ready'));
  expect([first, second]).toEqual([[], [LIVE_KINDS]]);
  windows[1]!();
});

test('nothing is reopened after the last follower has left', () => {
  Stream.all[0]!.refuse();
  stop();
  vi.advanceTimersByTime(120_000);
  expect(Stream.all).toHaveLength(1);
});
