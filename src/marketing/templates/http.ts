import { type Route, route } from '../../http/api/endpoint.ts';
import { paged } from '../../lib/paging.ts';
import { eventContext } from '../../messaging/compose/content.ts';
import type { RenderContext } from '../../messaging/compose/liquid/render.ts';
import type { Previewer, PreviewOf } from '../../messaging/compose/preview.ts';
import type { Renderer } from '../../messaging/compose/renderer.ts';
import { namesIn } from '../../messaging/compose/warnings/variables.ts';
import type { Wake } from '../../work/worker-names.ts';
import * as contract from './contract.ts';
import type { TemplatesService } from './service.ts';
import { contentOf } from './written.ts';

interface TemplateRoutesDeps {
  templates: TemplatesService;
  wake: Wake;
  messaging: { previewer: Previewer; renderer: Pick<Renderer, 'syntaxFailures' | 'compileDesign'> };
}

function whose({ contact_id, event_data }: { contact_id?: number; event_data?: Record<string, unknown> }): PreviewOf {
  return { contactId: contact_id, values: event_data === undefined ? {} : eventContext(event_data as RenderContext) };
}

export function templateRoutes({ templates, messaging, wake }: TemplateRoutesDeps): Route[] {
  return [
    route(contract.listTemplates, (call) => templates.listTemplates(call.caller.companyId, call.query), paged),
    route(contract.createTemplate, (call) => templates.createTemplate(call.caller, call.body)),
    route(contract.previewContent, async (call) => {
      const { companyId } = call.caller;
      const { channel = 'email', subject, preview_text, from } = call.body;
      const { content, design } = await contentOf(messaging.renderer, companyId, { ...call.body, channel });
      const written = { channel, subject, preview_text, content, from };
      const preview = await messaging.previewer.preview(companyId, written, whose(call.body));
      return design === null ? preview : { ...preview, content };
    }),
    route(contract.listVariables, async (call) => ({
      variables: namesIn(await messaging.previewer.variables(call.caller.companyId)),
    })),
    route(contract.getTemplate, (call) => templates.getTemplate(call.caller.companyId, call.params.id)),
    route(contract.updateTemplate, (call) =>
      templates.updateTemplate(call.caller, call.params.id, call.body, call.ifMatch),
    ),
    route(contract.deleteTemplate, (call) => templates.deleteTemplate(call.caller, call.params.id)),
    route(contract.previewTemplate, async (call) => {
      const { companyId } = call.caller;
      const template = await templates.getTemplate(companyId, call.params.id);
      const preview = await messaging.previewer.preview(companyId, template, whose(call.body));
      return template.design === null ? preview : { ...preview, content: template.content };
    }),
    route(contract.testTemplate, async (call) => {
      const queued = await templates.testTemplate(call.caller, call.params.id, call.body);
      wake('sender');
      return queued;
    }),
  ];
}
