import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db } from '../../db/pool.ts';
import { notFound, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { checkRules, type RuleGroup } from '../rules/language.ts';
import { eventTypesOf } from '../rules/references.ts';
import { formatTimestamp } from '../time.ts';
import type { Segment, SegmentInput, SegmentPatch } from './contract.ts';
import * as queries from './queries.ts';
import { countMatching } from './segment-contacts.ts';

export { disableJit } from './queries.ts';
export { classifyBuyers } from './rfm.ts';
export { countSegment, inSnapshot, segmentCondition } from './segment-contacts.ts';

/** Whether the company has the event type (see EventsService): a rule on an unknown type is most likely a typing error. */
export type KnowsType = (companyId: number, eventType: string) => Promise<boolean>;

export interface SegmentsDeps {
  db: Db;
  events: { knowsType: KnowsType };
}

export interface SegmentsService {
  /** Newest first. */
  listSegments(companyId: number, query: { page?: number; per_page?: number }): Promise<Page<Segment>>;
  /** With the number of its contacts at `now`. Throws not_found. */
  getSegment(companyId: number, id: number, now: Date): Promise<Segment & { count: number }>;
  /** Throws validation_failed with the path of every invalid rule. */
  createSegment(caller: Caller, input: SegmentInput): Promise<Segment>;
  /** Throws not_found, and validation_failed like `createSegment`. */
  updateSegment(caller: Caller, id: number, patch: SegmentPatch): Promise<Segment>;
  /** Throws not_found. */
  deleteSegment(caller: Caller, id: number): Promise<{ segment_id: number; deleted: boolean }>;
  /** The number of contacts that the conditions select now. Throws validation_failed like `createSegment`. */
  previewSegment(caller: Caller, conditions: RuleGroup): Promise<{ count: number }>;
}

export function createSegmentsService({ db, events: { knowsType } }: SegmentsDeps): SegmentsService {
  async function checkConditions(companyId: number, conditions: RuleGroup): Promise<void> {
    const errors = checkRules(conditions, 'conditions', 'contact');
    if (errors.length > 0) throw validationFailed(errors);
    for (const { path, eventType } of eventTypesOf(conditions, 'conditions', 'contact')) {
      if (await knowsType(companyId, eventType)) continue;
      errors.push({ field: path, code: 'not_found', message: `${path}: unknown event type ${eventType}` });
    }
    if (errors.length > 0) throw validationFailed(errors);
  }

  return {
    async listSegments(companyId, query) {
      const { page, perPage } = pageOf(query);
      const lists = db.lists(companyId);
      const [rows, total] = await Promise.all([
        queries.findSegments(lists, companyId, { skip: (page - 1) * perPage, take: perPage }),
        queries.countSegments(lists, companyId),
      ]);
      return { rows: rows.map(recordOf), total, page, perPage };
    },

    async getSegment(companyId, id, now) {
      const lists = db.lists(companyId);
      const row = await queries.findSegment(lists, companyId, id);
      if (row === undefined) throw notFound(`segment ${id}`);
      return { ...recordOf(row), count: await countMatching(lists, companyId, row.conditions, now) };
    },

    async createSegment(caller, input) {
      const { companyId, now } = caller;
      await checkConditions(companyId, input.conditions);
      return write(db.points(companyId), caller, async (tx) =>
        recordOf(await queries.insertSegment(tx, companyId, input, now)),
      );
    },

    async updateSegment(caller, id, patch) {
      const { companyId, now } = caller;
      if (patch.conditions !== undefined) await checkConditions(companyId, patch.conditions);
      return write(db.points(companyId), caller, async (tx) => {
        const row = await queries.updateSegment(tx, companyId, id, patch, now);
        if (row === undefined) throw notFound(`segment ${id}`);
        return recordOf(row);
      });
    },

    async deleteSegment(caller, id) {
      const { companyId } = caller;
      return write(db.points(companyId), caller, async (tx) => {
        if (!(await queries.deleteSegment(tx, companyId, id))) throw notFound(`segment ${id}`);
        return { segment_id: id, deleted: true };
      });
    },

    async previewSegment(caller, conditions) {
      const { companyId, now } = caller;
      await checkConditions(companyId, conditions);
      return { count: await countMatching(db.lists(companyId), companyId, conditions, now) };
    },
  };
}

function recordOf(row: queries.SegmentRow): Segment {
  return {
    segment_id: row.id,
    name: row.name,
    conditions: row.conditions,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}
