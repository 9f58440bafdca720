import { paged, type Route, route } from '../../http/endpoint.ts';
import type { RenderContext } from '../../messaging/liquid-engine.ts';
import type { PreviewOf } from '../../messaging/preview.ts';
import { eventContext } from '../../messaging/sources.ts';
import * as contract from './contract.ts';
import * as templates from './service.ts';

function whose({ contact_id, event_data }: { contact_id?: number; event_data?: Record<string, unknown> }): PreviewOf {
  return { contactId: contact_id, values: event_data === undefined ? {} : eventContext(event_data as RenderContext) };
}

export const templateRoutes: Route[] = [
  route(
    contract.listTemplates,
    (_app, call) => templates.listTemplates(call.lists, call.caller.companyId, call.query),
    paged,
  ),
  route(contract.createTemplate, (app, call) => templates.createTemplate(app, call.caller, call.body)),
  route(contract.previewContent, (app, call) => {
    const { channel = 'email', ...written } = call.body;
    return app.messaging.previewer.preview(call.caller.companyId, { ...written, channel }, whose(call.body));
  }),
  route(contract.getTemplate, (_app, call) => templates.getTemplate(call.db, call.caller.companyId, call.params.id)),
  route(contract.updateTemplate, (app, call) => templates.updateTemplate(app, call.caller, call.params.id, call.body)),
  route(contract.deleteTemplate, (_app, call) => templates.deleteTemplate(call.db, call.caller, call.params.id)),
  route(contract.previewTemplate, async (app, call) => {
    const { companyId } = call.caller;
    const template = await templates.getTemplate(call.db, companyId, call.params.id);
    return app.messaging.previewer.preview(companyId, template, whose(call.body));
  }),
];
