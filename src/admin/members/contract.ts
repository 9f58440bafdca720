import Type, { type Static } from 'typebox';
import { ROLES } from '../../access/roles.ts';
import type { Endpoint } from '../../http/api/endpoint.ts';
import { Id, IdParams, Nullable, OneOf, Trimmed } from '../../lib/schemas.ts';

const Moment = Type.String({ format: 'date-time' });

export const Member = Type.Object({
  id: Id,
  email: Type.String(),
  name: Type.String(),
  role: OneOf(ROLES),
  has_totp: Type.Boolean(),
  passkeys: Type.Integer(),
  created_at: Moment,
  last_seen_at: Nullable(Moment),
});
export type Member = Static<typeof Member>;

export const Invitation = Type.Object({
  id: Id,
  email: Type.String(),
  role: OneOf(ROLES),
  invited_by: Type.String({ description: 'Name of the inviting person' }),
  created_at: Moment,
  expires_at: Moment,
});
export type Invitation = Static<typeof Invitation>;

export const NewInvitation = Type.Object({
  ...Invitation.properties,
  url: Nullable(
    Type.String({
      description:
        'To pass on; shown this once. Unlike the link in the e-mail, it does not prove the address: a person who has an account needs its password or session',
    }),
  ),
  sent: Type.Boolean({ description: 'Whether an invitation was sent by e-mail' }),
});
export type NewInvitation = Static<typeof NewInvitation>;

const tag = 'Members';

export const listMembers = {
  method: 'GET',
  path: '/members',
  scope: 'members:read',
  tag,
  summary: 'List members',
  description: 'By name; 1,000 at most.',
  data: Type.Object({ members: Type.Array(Member) }),
  status: 200,
} as const satisfies Endpoint;

export const updateMember = {
  method: 'PATCH',
  path: '/members/{id}',
  scope: 'members:write',
  confirm: true,
  tag,
  summary: "Change a member's role",
  description: 'A company keeps at least one owner.',
  params: IdParams,
  body: Type.Object({ role: OneOf(ROLES) }),
  data: Member,
  status: 200,
} as const satisfies Endpoint;

export const removeMember = {
  method: 'DELETE',
  path: '/members/{id}',
  scope: 'members:write',
  confirm: true,
  tag,
  summary: 'Remove a member',
  description: 'Returns the removed member. Access ends at once. A company keeps at least one owner.',
  params: IdParams,
  data: Member,
  status: 200,
} as const satisfies Endpoint;

export const MemberSession = Type.Object({
  id: Id,
  address: Type.String(),
  user_agent: Type.String(),
  created_at: Moment,
  last_seen_at: Moment,
  current: Type.Boolean({ description: 'Whether it is the current session' }),
});
export type MemberSession = Static<typeof MemberSession>;

export const listMemberSessions = {
  method: 'GET',
  path: '/members/{id}/sessions',
  scope: 'members:write',
  tag,
  summary: "List a member's sessions",
  description: 'Where they are signed in, the last used first; 100 at most.',
  params: IdParams,
  data: Type.Object({ sessions: Type.Array(MemberSession) }),
  status: 200,
} as const satisfies Endpoint;

export const endMemberSessions = {
  method: 'DELETE',
  path: '/members/{id}/sessions',
  scope: 'members:write',
  confirm: true,
  tag,
  summary: "End a member's sessions",
  description:
    'Ends all sessions of the member, in all companies, except the current one, and revokes their sign-in and password links. Credentials do not change.',
  params: IdParams,
  data: Type.Object({ ended: Type.Integer() }),
  status: 200,
} as const satisfies Endpoint;

export const listInvitations = {
  method: 'GET',
  path: '/invitations',
  scope: 'members:read',
  tag,
  summary: 'List invitations',
  description: 'Unused invitations, newest first.',
  data: Type.Object({ invitations: Type.Array(Invitation) }),
  status: 200,
} as const satisfies Endpoint;

export const InvitationInput = Type.Object({
  email: Trimmed({ minLength: 3, maxLength: 254 }),
  role: OneOf(ROLES),
  language: Type.Optional(OneOf(['en', 'de'], { description: 'Of the e-mail; by default that of the inviter' })),
});
export type InvitationInput = Static<typeof InvitationInput>;

export const invite = {
  method: 'POST',
  path: '/invitations',
  scope: 'members:write',
  confirm: true,
  tag,
  summary: 'Invite somebody',
  description:
    'The link works once, for seven days, and while its sender is an owner. Another invitation to the same address replaces it. At most 20 can be open, and an address gets at most three a day.',
  body: InvitationInput,
  data: NewInvitation,
  status: 201,
  returnsSecret: true,
} as const satisfies Endpoint;

export const takeBackInvitation = {
  method: 'DELETE',
  path: '/invitations/{id}',
  scope: 'members:write',
  confirm: true,
  tag,
  summary: 'Take an invitation back',
  params: IdParams,
  data: Invitation,
  status: 200,
} as const satisfies Endpoint;

/** In the order of the API reference. */
export const memberEndpoints: readonly Endpoint[] = [
  listMembers,
  updateMember,
  removeMember,
  listMemberSessions,
  endMemberSessions,
  listInvitations,
  invite,
  takeBackInvitation,
];
