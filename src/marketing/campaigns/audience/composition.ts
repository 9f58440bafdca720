import Type, { type Static } from 'typebox';
import type { FieldError } from '../../../errors.ts';
import { Id } from '../../../lib/schemas.ts';

/** The most audiences and the most exclusions of a campaign. */
const MOST_PARTS = 20;

const ListOrSegment = { list_id: Type.Optional(Id), segment_id: Type.Optional(Id) };
export const ExcludedPart = Type.Object(ListOrSegment);
export type ExcludedPart = Static<typeof ExcludedPart>;
export const AudiencePart = Type.Object({
  ...ListOrSegment,
  unopened_campaign_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Recipients of this e-mail campaign to whom it was delivered and who have not opened it when this one starts',
    }),
  ),
});
export type AudiencePart = Static<typeof AudiencePart>;

export const Audiences = Type.Array(AudiencePart, {
  maxItems: MOST_PARTS,
  description:
    'Who gets it: the members of all these, each contact once. Each has one of `list_id`, `segment_id`, `unopened_campaign_id`',
});
export const Exclude = Type.Array(ExcludedPart, {
  maxItems: MOST_PARTS,
  description:
    'Who does not get it, when it starts, although they are in `audiences`: active members of these lists, contacts of these segments',
});

/** An audience that is more than one list or one segment. */
export interface ComposedAudience {
  audiences: AudiencePart[];
  exclude: ExcludedPart[];
  /** A recipient must be on one of these lists until the message is handed over; null: no list is required. */
  member_of: number[] | null;
}

/** The columns of a campaign that say whom it goes to. `audience` is null if the other two say it all. */
export interface AudienceColumns {
  list_id: number | null;
  segment_id: number | null;
  audience: ComposedAudience | null;
}

export function partsOf({ list_id, segment_id, audience }: AudienceColumns): Omit<ComposedAudience, 'member_of'> {
  if (audience !== null) return { audiences: audience.audiences, exclude: audience.exclude };
  const audiences = [...(list_id === null ? [] : [{ list_id }]), ...(segment_id === null ? [] : [{ segment_id }])];
  return { audiences, exclude: [] };
}

/** The audience as the API shows it: `list_id` and `segment_id` only if there is no other. */
export function shownAudience(columns: AudienceColumns) {
  const { audiences, exclude } = partsOf(columns);
  const [only] = audiences.length === 1 ? audiences : [];
  return { list_id: only?.list_id ?? null, segment_id: only?.segment_id ?? null, audiences, exclude };
}

/** Whether the recipients are evaluated once, at the start. Those of a single list are read part by part instead. */
export function needsSnapshot({ list_id }: Pick<AudienceColumns, 'list_id'>): boolean {
  return list_id === null;
}

export interface AudiencePatch {
  list_id?: number | null;
  segment_id?: number | null;
  audiences?: AudiencePart[];
  exclude?: ExcludedPart[];
}

export const NOBODY: AudienceColumns = { list_id: null, segment_id: null, audience: null };

/**
 * The columns after a request that sets some of the fields. `list_id` and `segment_id` replace all audiences by one, unless they have
 * the value that is shown already. `member_of` is not known here (see `findRequiredLists`).
 */
export function patchAudience(
  before: AudienceColumns,
  patch: AudiencePatch,
): { columns: AudienceColumns; errors: FieldError[] } {
  const shown = shownAudience(before);
  const errors: FieldError[] = [];
  const list_id = patch.list_id === undefined ? shown.list_id : patch.list_id;
  const segment_id = patch.segment_id === undefined ? shown.segment_id : patch.segment_id;
  const isSame = list_id === shown.list_id && segment_id === shown.segment_id;
  const single = partsOf({ list_id, segment_id, audience: null }).audiences;
  const audiences = patch.audiences ?? (isSame ? shown.audiences : single);
  const exclude = patch.exclude ?? shown.exclude;
  if (patch.audiences !== undefined) {
    const named = [patch.list_id, patch.segment_id].filter((id) => id != null);
    const only = shownAudience({ ...NOBODY, audience: { audiences, exclude, member_of: null } });
    if (
      named.length > 0 &&
      ((patch.list_id ?? null) !== only.list_id || (patch.segment_id ?? null) !== only.segment_id)
    )
      errors.push({
        field: 'audiences',
        code: 'invalid',
        message: 'audiences: send audiences, or list_id or segment_id, not both',
      });
  } else if (list_id !== null && segment_id !== null) {
    errors.push({
      field: 'segment_id',
      code: 'invalid',
      message: 'A campaign has a list_id or a segment_id, not both: send audiences to have several',
    });
  }
  for (const [field, parts] of [['audiences', audiences] as const, ['exclude', exclude] as const])
    if (parts.some((part) => Object.keys(part).length !== 1))
      errors.push({
        field,
        code: 'invalid',
        message: `${field}: each entry has exactly one of ${field === 'exclude' ? 'list_id and segment_id' : 'list_id, segment_id and unopened_campaign_id'}`,
      });
  const [only] = audiences;
  const isSimple = exclude.length === 0 && audiences.length <= 1 && only?.unopened_campaign_id === undefined;
  const columns = isSimple
    ? { list_id: only?.list_id ?? null, segment_id: only?.segment_id ?? null, audience: null }
    : { list_id: null, segment_id: null, audience: { audiences, exclude, member_of: null } };
  return { columns, errors };
}

/** The lists, segments and campaigns that are named, each once. */
export function namedIn(columns: AudienceColumns) {
  const { audiences, exclude } = partsOf(columns);
  const distinct = (ids: (number | undefined)[]): number[] => [...new Set(ids.filter((id) => id !== undefined))];
  const all: AudiencePart[] = [...audiences, ...exclude];
  return {
    listIds: distinct(all.map((part) => part.list_id)),
    segmentIds: distinct(all.map((part) => part.segment_id)),
    campaignIds: distinct(all.map((part) => part.unopened_campaign_id)),
  };
}
