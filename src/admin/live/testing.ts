import { foldDeltas } from '../../db/counters.ts';
import type { TestServer } from '../../testing/harness.ts';
import type { TestPerson } from '../../testing/people.ts';
import { allSlices } from '../../work/slices.ts';

export interface LiveEvent {
  id: string;
  name: string;
  kinds: string[];
}

/** An open stream of a test. */
export interface TestStream {
  status: number;
  headers: Headers;
  events: LiveEvent[];
  /** Whether the server ended it. */
  hasEnded(): boolean;
  close(): void;
}

export async function openStream(
  server: TestServer,
  person: Pick<TestPerson, 'cookie'>,
  companyId: number,
  lastEventId?: string,
): Promise<TestStream> {
  const abort = new AbortController();
  const resumed: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const response = await fetch(`${server.origin}/admin/api/${companyId}/live`, {
    headers: { cookie: person.cookie, ...resumed },
    signal: abort.signal,
  });
  const events: LiveEvent[] = [];
  let ended = false;
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: ?/, 2) as [string, string]));
        if (fields.event === undefined) continue;
        const { kinds = [] } = JSON.parse(block.slice(block.indexOf('data: ') + 6)) as { kinds?: string[] };
        events.push({ id: fields.id!, name: fields.event, kinds });
      }
    }
  };
  read().then(
    () => {
      ended = true;
    },
    () => {
      ended = !abort.signal.aborted;
    },
  );
  return {
    status: response.status,
    headers: response.headers,
    events,
    hasEnded: () => ended,
    close: () => abort.abort(),
  };
}

/** Does what a worker does every second. */
export async function fold(server: TestServer): Promise<void> {
  await allSlices(foldDeltas(server.app.db.chores, 'counter'));
}
