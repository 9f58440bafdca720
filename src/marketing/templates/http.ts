import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import { eventContext } from '../../messaging/compose/content/content-loader.ts';
import type { RenderContext } from '../../messaging/compose/liquid/engine.ts';
import type { Previewer, PreviewOf } from '../../messaging/compose/preview.ts';
import * as contract from './contract.ts';
import type { TemplatesService } from './service.ts';

interface TemplateRoutesDeps {
  templates: TemplatesService;
  messaging: { previewer: Previewer };
}

function whose({ contact_id, event_data }: { contact_id?: number; event_data?: Record<string, unknown> }): PreviewOf {
  return { contactId: contact_id, values: event_data === undefined ? {} : eventContext(event_data as RenderContext) };
}

export function templateRoutes({ templates, messaging }: TemplateRoutesDeps): Route[] {
  return [
    route(contract.listTemplates, (call) => templates.listTemplates(call.caller.companyId, call.query), paged),
    route(contract.createTemplate, (call) => templates.createTemplate(call.caller, call.body)),
    route(contract.previewContent, (call) => {
      const { channel = 'email', ...written } = call.body;
      return messaging.previewer.preview(call.caller.companyId, { ...written, channel }, whose(call.body));
    }),
    route(contract.getTemplate, (call) => templates.getTemplate(call.caller.companyId, call.params.id)),
    route(contract.updateTemplate, (call) => templates.updateTemplate(call.caller, call.params.id, call.body)),
    route(contract.deleteTemplate, (call) => templates.deleteTemplate(call.caller, call.params.id)),
    route(contract.previewTemplate, async (call) => {
      const { companyId } = call.caller;
      const template = await templates.getTemplate(companyId, call.params.id);
      return messaging.previewer.preview(companyId, template, whose(call.body));
    }),
  ];
}
