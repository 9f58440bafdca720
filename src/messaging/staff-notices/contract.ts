import Type, { type Static } from 'typebox';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, Nullable, OneOf } from '../../lib/schemas.ts';
import { NOTICE_KINDS } from './kinds.ts';

const Kind = OneOf(NOTICE_KINDS);

export const StaffNotice = Type.Object({
  id: Id,
  kind: Kind,
  record: Nullable(
    Type.Integer({ description: 'The id of the order, product or subscription; null: it concerns the whole company' }),
  ),
  details: Type.Object({
    amount: Type.Optional(Type.Number()),
    currency: Type.Optional(Type.String()),
    name: Type.Optional(Type.String({ description: 'Of the product' })),
    stock: Type.Optional(Type.Integer()),
    reason: Type.Optional(Type.String()),
  }),
  created_at: Type.String({ format: 'date-time' }),
  read: Type.Boolean(),
});
export type StaffNotice = Static<typeof StaffNotice>;

export const NoticeChoice = Type.Object({
  kind: Kind,
  app: Type.Boolean({ description: 'Whether they are listed in the admin app' }),
  mail: Type.Boolean({ description: 'Whether they are sent by e-mail' }),
});
export type NoticeChoice = Static<typeof NoticeChoice>;

const NoticeChoices = Type.Object({ choices: Type.Array(NoticeChoice) });

// Concerns the person alone: every role has this scope. What a person may not read is left out by kind.
const own = { scope: 'products:read', tag: 'Notices', status: 200 } as const;

export const listNotices = {
  ...own,
  method: 'GET',
  path: '/staff-notices',
  summary: "List one's own notices",
  description:
    'Newest first: the latest 100 of the last 30 days, of the kinds that the person has chosen and may read. The operator has no account and no notices.',
  data: Type.Object({ notices: Type.Array(StaffNotice) }),
} as const satisfies Endpoint;

export const countUnread = {
  ...own,
  method: 'GET',
  path: '/staff-notices/unread',
  summary: "Count one's own unread notices",
  data: Type.Object({ unread: Type.Integer({ description: '100: that many or more' }) }),
} as const satisfies Endpoint;

const NoticeRead = Type.Object({
  id: Id,
  before: Type.Optional(Type.Boolean({ description: 'Whether everything before it is marked too' })),
});
export type NoticeRead = Static<typeof NoticeRead>;

export const readNotice = {
  ...own,
  method: 'POST',
  path: '/staff-notices/read',
  unaudited: 'concerns the person alone',
  summary: 'Mark a notice as read',
  body: NoticeRead,
  data: Type.Object({ unread: Type.Integer() }),
} as const satisfies Endpoint;

export const listChoices = {
  ...own,
  method: 'GET',
  path: '/staff-notices/choices',
  summary: 'Read of what one is told, and how',
  description: 'The kinds that the person may read.',
  data: NoticeChoices,
} as const satisfies Endpoint;

export const chooseNotices = {
  ...own,
  method: 'PUT',
  path: '/staff-notices/choices',
  unaudited: 'concerns the person alone',
  summary: 'Choose how one is told of a kind',
  body: NoticeChoice,
  data: NoticeChoices,
} as const satisfies Endpoint;

export const staffNoticeEndpoints: readonly Endpoint[] = [
  listNotices,
  countUnread,
  readNotice,
  listChoices,
  chooseNotices,
];
