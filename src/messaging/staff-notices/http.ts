import type { Session } from '../../access/sessions.ts';
import { type Route, route, type Visitor } from '../../http/api/endpoint.ts';
import * as contract from './contract.ts';
import type { StaffNoticesService } from './service.ts';

/** These endpoints are only for people, who always have a session. */
function sessionOf({ session }: Visitor): Session {
  return session!;
}

export function staffNoticeRoutes({ staffNotices }: { staffNotices: StaffNoticesService }): Route[] {
  return [
    route(contract.listNotices, ({ caller, visitor }) => staffNotices.listNotices(caller, sessionOf(visitor))),
    route(contract.countUnread, ({ caller, visitor }) => staffNotices.countUnread(caller, sessionOf(visitor))),
    route(contract.readNotice, ({ caller, body, visitor }) =>
      staffNotices.readNotice(caller, sessionOf(visitor), body),
    ),
    route(contract.listChoices, ({ caller, visitor }) => staffNotices.listChoices(caller, sessionOf(visitor))),
    route(contract.chooseNotices, ({ caller, body, visitor }) => staffNotices.choose(caller, sessionOf(visitor), body)),
  ];
}
