import type { Caller } from '../../caller.ts';
import { write } from '../../db/idempotency.ts';
import type { Db, Tx } from '../../db/pool.ts';
import { tookTooLong } from '../../db/time-limit.ts';
import { AppError, notFound, Overloaded, validationFailed } from '../../errors.ts';
import { type Page, pageOf } from '../../lib/paging.ts';
import { formatTimestamp } from '../../lib/timestamps.ts';
import type { RuleGroup } from '../../rules/language.ts';
import { checkRules } from '../rules/check.ts';
import { eventTypesOf } from '../rules/references.ts';
import type { ListedSegment, Member, Segment, SegmentInput, SegmentPatch } from './contract.ts';
import { dayOf } from './growth.ts';
import { findCounts } from './growth-queries.ts';
import * as queries from './queries.ts';
import { countMatching, countOverlap, type Explanation, explainContact, sampleMatching } from './segment-contacts.ts';

export { countGrowth } from './growth.ts';
export { disableJit, holdSegment } from './queries.ts';
export { classifyBuyers } from './rfm.ts';
export { countSegment, inSnapshot, segmentCondition } from './segment-contacts.ts';

/** Whether the company has the event type (see EventsService): a rule on an unknown type is most likely a typo. */
export type KnowsType = (companyId: number, eventType: string) => Promise<boolean>;

export interface SegmentsDeps {
  db: Db;
  events: { knowsType: KnowsType };
  /** Returns a flow that the segment starts, if there is one. */
  findFlowOfSegment(tx: Tx, companyId: number, id: number): Promise<{ flow_id: number; name: string } | undefined>;
}

export interface SegmentsService {
  /** Newest first. */
  listSegments(companyId: number, query: { page?: number; per_page?: number }): Promise<Page<ListedSegment>>;
  /** Includes the number of its contacts at `now`. Throws not_found. */
  getSegment(companyId: number, id: number, now: Date): Promise<Segment & { count: number }>;
  /** Throws validation_failed with the path of every invalid rule. */
  createSegment(caller: Caller, input: SegmentInput): Promise<Segment>;
  /** Throws not_found, and validation_failed like `createSegment`. */
  updateSegment(caller: Caller, id: number, patch: SegmentPatch): Promise<Segment>;
  /** Throws not_found, and in_use while it starts a flow. */
  deleteSegment(caller: Caller, id: number): Promise<{ segment_id: number; deleted: boolean }>;
  /**
   * The number of contacts that the conditions select now, with a sample of `sample` contacts if requested. Throws validation_failed
   * like `createSegment`.
   */
  previewSegment(caller: Caller, conditions: RuleGroup, sample?: number): Promise<{ count: number; sample?: Member[] }>;
  /** Throws not_found for the segment and for the contact. */
  explainSegment(companyId: number, id: number, contactId: number, now: Date): Promise<ExplainedContact>;
  /** The counts of that many days. Throws not_found. */
  growth(
    companyId: number,
    id: number,
    days: number,
    now: Date,
  ): Promise<{ segment_id: number; growth: { day: string; count: number }[] }>;
  /** Throws not_found, and Overloaded if the counts take too long. */
  overlap(
    companyId: number,
    id: number,
    otherId: number,
    now: Date,
  ): Promise<{ segment_id: number; other_segment_id: number; count: number; other_count: number; both: number }>;
}

export interface ExplainedContact extends Explanation {
  segment_id: number;
  contact_id: number;
}

const DAY_MS = 24 * 3_600_000;
/** Delay after which an overlap that took too long may be tried again: the statement's time limit. */
const OVERLAP_MS = 5_000;

export function createSegmentsService({ db, events: { knowsType }, findFlowOfSegment }: SegmentsDeps): SegmentsService {
  async function checkConditions(companyId: number, conditions: RuleGroup): Promise<void> {
    const errors = checkRules(conditions, 'conditions', 'contact');
    if (errors.length > 0) throw validationFailed(errors);
    for (const { path, eventType } of eventTypesOf(conditions, 'conditions', 'contact')) {
      if (await knowsType(companyId, eventType)) continue;
      errors.push({ field: path, code: 'not_found', message: `${path}: unknown event type ${eventType}` });
    }
    if (errors.length > 0) throw validationFailed(errors);
  }

  async function existing(db: Db, companyId: number, id: number): Promise<queries.SegmentRow> {
    const row = await queries.findSegment(db, companyId, id);
    if (row === undefined) throw notFound(`segment ${id}`);
    return row;
  }

  return {
    async listSegments(companyId, query) {
      const { page, perPage, ...bounds } = pageOf(query);
      const lists = db.lists(companyId);
      const [rows, total] = await Promise.all([
        queries.findSegments(lists, companyId, bounds),
        queries.countSegments(lists, companyId),
      ]);
      return { rows: rows.map((row) => ({ ...recordOf(row), counted: row.counted })), total, page, perPage };
    },

    async getSegment(companyId, id, now) {
      const lists = db.lists(companyId);
      const row = await existing(lists, companyId, id);
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
        const flow = await findFlowOfSegment(tx, companyId, id);
        if (flow !== undefined) {
          throw new AppError('in_use', `It starts the flow ${flow.name}: change or archive the flow first`, {
            flow_id: flow.flow_id,
          });
        }
        return { segment_id: id, deleted: true };
      });
    },

    async previewSegment(caller, conditions, sample) {
      const { companyId, now } = caller;
      await checkConditions(companyId, conditions);
      const lists = db.lists(companyId);
      if (sample !== undefined) return sampleMatching(lists, companyId, { conditions, sample, now });
      return { count: await countMatching(lists, companyId, conditions, now) };
    },

    async explainSegment(companyId, id, contactId, now) {
      const lists = db.lists(companyId);
      const { conditions } = await existing(lists, companyId, id);
      const explanation = await explainContact(lists, companyId, { conditions, contactId, now });
      if (explanation === undefined) throw notFound(`contact ${contactId}`);
      return { segment_id: id, contact_id: contactId, ...explanation };
    },

    async growth(companyId, id, days, now) {
      const lists = db.lists(companyId);
      await existing(lists, companyId, id);
      const from = dayOf(new Date(now.getTime() - (days - 1) * DAY_MS));
      return { segment_id: id, growth: await findCounts(lists, companyId, id, from) };
    },

    async overlap(companyId, id, otherId, now) {
      const lists = db.lists(companyId);
      const one = await existing(lists, companyId, id);
      const other = await existing(lists, companyId, otherId);
      try {
        const counts = await countOverlap(lists, companyId, [one.conditions, other.conditions], now);
        return { segment_id: id, other_segment_id: otherId, ...counts };
      } catch (error) {
        throw tookTooLong(error) ? new Overloaded(OVERLAP_MS) : error;
      }
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
