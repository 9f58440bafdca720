// Made by `npm run client` from the OpenAPI document of the running code. Do not edit.
export interface schemas {
  'Session': { person: { id: number | null; email: string | null; name: string; language: "en" | "de"; theme: "light" | "dark" | "auto"; has_password: boolean; has_totp: boolean; passkeys: number }; companies: ({ id: number; name: string; currency: string; time_zone: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; scopes: (string)[] })[]; confirmed_at: string; expires_at: string; settings: { mail: boolean; test_clock: boolean; version: string } };
  'Session2': {  };
  'Me': { id: number | null; email: string | null; name: string; language: "en" | "de"; theme: "light" | "dark" | "auto"; has_password: boolean; has_totp: boolean; passkeys: number };
  'Member': { id: number; email: string; name: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; has_totp: boolean; passkeys: number; created_at: string; last_seen_at: string | null };
  'Pagination': { page: number; per_page: number; total: number; total_pages: number };
  'Error': { error: string; code: number; message: string; details: ({ field: string; message: string })[]; request_id?: string; retry_after?: number };
  'Product': { id: number; name: string; slug: string; price: number; description: string; stock_qty: number; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean })[]; sku: string | null; tax_class: string | null; archived: boolean; created_at: string; updated_at: string };
  'Customer': { id: number; email: string; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; metadata: Record<string, unknown>; created_at: string; updated_at: string };
  'Loyalty': { customer_id: number; current_balance: number; lifetime_points: number; dollar_value: number };
  'Setting': { points_per_dollar: number; point_value: number; min_redeem_points: number; enabled: boolean; earn_on: "placed" | "delivered" };
  'Order': { id: number; customer_id: number; status: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; subtotal: number; discount: number; tax: number; shipping: number; total: number; currency: string; tracking_number: string | null; items: ({ product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number })[]; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; shipping_method: string | null; tax_lines: ({ name: string; rate: number; amount: number })[]; promo_code: string | null; points_redeemed: number; external_id: string | null; metadata: Record<string, unknown>; subscription_id: number | null; is_subscription: boolean; created_at: string; updated_at: string };
  'Subscription': { id: number; customer_id: number; product_id: number; frequency_id: number; frequency_name: string; quantity: number; price: number; status: "active" | "paused" | "past_due" | "cancelled" | "expired"; next_billing_date: string | null; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; resume_on: string | null; pause_reason: string | null; cancelled_at: string | null; cancel_reason: string | null; created_at: string; updated_at: string };
  'PromoCode': { id: number; code: string; type: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value: unknown; scope: "order" | "products" | "categories"; product_ids: (number)[]; category_slugs: (string)[]; min_subtotal: number | null; max_discount: number | null; starts_at: string | null; ends_at: string | null; usage_limit: number | null; per_customer_limit: number | null; first_order_only: boolean; active: boolean; used_count: number; created_at: string; updated_at: string };
  'Setting2': { name: string; currency: string; time_zone: string; country: string; tax_rounding: "line" | "order"; prices_include_tax: boolean };
  'ShippingZone': { id: number; name: string; position: number; countries: (string)[]; states: (string)[]; zip_patterns: (string)[]; created_at: string; updated_at: string };
  'ShippingMethod': { id: number; zone_id: number; name: string; position: number; type: "flat" | "by_subtotal" | "free_over"; cost: number | null; free_over: number | null; brackets: ({ from: number; cost: number })[] | null; active: boolean; created_at: string; updated_at: string };
  'TaxRule': { id: number; name: string; country: string; state: string | null; zip_from: string | null; zip_to: string | null; rate: number; priority: number; compound: boolean; applies_to_shipping: boolean; tax_class: string | null; created_at: string; updated_at: string };
  'CommerceError': { success: false; error: { message: string; code: number; details: { reason: string; request_id: string; fields?: ({ field: string; code: string; message: string })[] } } };
  'WebhookEndpoint': { endpoint_id: number; url: string; event_types: (string)[]; description: string; active: boolean; disabled_reason: string | null; failing_since: string | null; created_at: string; updated_at: string };
  'Delivery': { delivery_id: number; endpoint_id: number; message_id: string; event_type: string; entity: string; body: string; status: "pending" | "delivered" | "failed"; attempts: number; due_at: string; response_status: number | null; response_body: string | null; error: string | null; created_at: string; finished_at: string | null };
  'Contact': { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string };
  'List': { list_id: number; name: string; description: string; double_opt_in: boolean; counts: { active: number; pending: number; unsubscribed: number }; created_at: string; updated_at: string };
  'Form': { form_id: number; public_id: string; name: string; list_ids: (number)[]; channels: ("email" | "sms")[]; double_opt_in: boolean; fields: ({ name: string; label?: string; required?: boolean })[]; allowed_origins: (string)[]; success_text: string | null; redirect_url: string | null; language: "en" | "de"; min_fill_seconds: number; max_per_hour: number; consent_text: string; submissions: number; confirmed: number; page_url: string; embed: string; created_at: string; updated_at: string };
  'Segment': { segment_id: number; name: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; created_at: string; updated_at: string };
  'Flow': { flow_id: number; status: "draft" | "active" | "paused" | "archived"; version: number; name: string; trigger_type: string; trigger_conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; steps: (schemas['FlowStep'])[]; connections: ({ from: string; to: string; branch?: string })[]; reentry: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours: { start: string; end: string; timezone?: string } | null; created_at: string; updated_at: string; stats: { entered: number; active: number; completed: number; exited: number; failed: number; converted: number; missed: number; sent: number } };
  'Run': { run_id: number; flow_id: number; version: number; contact_id: number; status: "active" | "completed" | "exited" | "failed"; reason: string | null; step_id: string | null; due_at: string | null; event_id: number | null; entered_at: string; ended_at: string | null; event: Record<string, unknown> | null; vars: Record<string, unknown>; log: ({ at: string; step_id: string | null; type: "send_email" | "send_sms" | "webhook" | "delay" | "wait_until" | "wait_for_event" | "branch" | "split" | "update_contact" | "add_tag" | "remove_tag" | "add_to_list" | "remove_from_list" | "track_event" | "start_flow" | "notify" | "goal" | "exit" | null; result: string; detail: string | null })[] };
  'Message': { message_id: number; channel: "email" | "sms"; status: "queued" | "claimed" | "handing_over" | "sent" | "failed" | "skipped" | "unknown"; reason: string | null; reply: string | null; contact_id: number | null; recipient: string | null; transactional: boolean; origin: "flow" | "campaign" | "system"; flow_id: number | null; run_id: number | null; step_id: string | null; campaign_id: number | null; variant: string | null; attempts: number; due_at: string; created_at: string; handed_over_at: string | null; ended_at: string | null };
  'Latest': { id: number; channel: "email" | "sms"; contact_id: number | null; from: string; to: string; subject: string | null; message_id: string | null; created_at: string; preview_text: string | null; text: string; html: string | null; headers: Record<string, unknown> };
  'SendingSetting': { from_email: string; from_name: string; reply_to: string | null; sms_from: string; sms_senders: Record<string, string>; sms_stop_words: (string)[]; sms_help_text: string | null; quiet_hours: { start: string; end: string; timezone?: string } | null; frequency_cap: { messages: number; hours: number } | null; less_often_days: number; language: "en" | "de"; max_lateness_hours: number; track_opens: boolean; track_clicks: boolean; attribution_days: number; new_contacts_by_events: "subscribed" | "never"; held_since: string | null; held_because: "restored" | "asked" | null; dkim: { domain?: string; selector?: string } | null; bounces: { ses: { url: string; topic_arn: string } | null; sendgrid: { url: string; public_key: string } | null; mailgun: { url: string } | null; postmark: { url: string; username: string } | null } };
  'Template': { template_id: number; name: string; channel: "email" | "sms"; subject: string | null; preview_text: string | null; content: string; created_at: string; updated_at: string };
  'Preview': { subject: string | null; preview_text: string | null; html: string | null; text: string; sms: { encoding?: "gsm7" | "ucs2"; segments?: number; units?: number } | null; warnings: (string)[] };
  'Campaign': { campaign_id: number; name: string; type: "email" | "sms"; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed"; reason: string | null; subject: string | null; preview_text: string | null; content: string | null; template_id: number | null; from: string | null; list_id: number | null; segment_id: number | null; variants: ({ key: string; weight: number; subject?: string; preview_text?: string; content?: string; template_id?: number })[]; ab_test: { share: number; hours: number; metric: "opened" | "clicked" | "converted" | "revenue" } | null; winner: string | null; max_lateness_hours: number | null; scheduled_at: string | null; started_at: string | null; finished_at: string | null; recipients: number; recipients_exact: boolean; counts: { queued: number; sent: number; failed: number; skipped: number; unknown: number; delivered: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number }; created_at: string; updated_at: string };
  'FlowStep': ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "send_email"; config?: { template_id?: number; subject?: string; content?: string; preview_text?: string; from?: string; transactional?: boolean } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "send_sms"; config?: { content: string; transactional?: boolean } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "webhook"; config?: { url: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: Record<string, string>; body?: string | Record<string, unknown>; save_as?: string } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "delay"; config?: { value: number; unit: "minutes" | "hours" | "days" | "weeks" } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "wait_until"; config?: { time?: string; weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[]; timezone?: string; date_field?: string; offset?: { value: number; unit: "minutes" | "hours" | "days" | "weeks" } } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "wait_for_event"; config?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[]; since?: "flow_entry" | "step_entry"; timeout?: { value: number; unit: "minutes" | "hours" | "days" | "weeks" } } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "branch"; config?: { paths: ({ key: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } })[] } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "split"; config?: { variants: ({ key: string; weight: number })[] } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "update_contact"; config?: { first_name?: string; last_name?: string; properties?: Record<string, unknown> } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "add_tag"; config?: { tag: string } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "remove_tag"; config?: { tag: string } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "add_to_list"; config?: { list_id: number } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "remove_from_list"; config?: { list_id: number } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "track_event"; config?: { event_type: string; event_data?: Record<string, unknown> } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "start_flow"; config?: { flow_id: number } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "notify"; config?: { message: string } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "goal"; config?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } }) | ({ step_id: string; name?: string; position?: { x: number; y: number }; type: "exit"; config?: { reason?: string } });
  'MarketingError': { error: "bad_request" | "unauthorized" | "not_found" | "rate_limit_exceeded" | "internal_error"; code: number; message: string; details: ({ field: string; message: string })[]; request_id?: string };
}

export interface paths {
  '/members': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List members */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { members: ({ id: number; email: string; name: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; has_totp: boolean; passkeys: number; created_at: string; last_seen_at: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/members/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove a member */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Member'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a member's role */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Member'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/invitations': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List invitations */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { invitations: ({ id: number; email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; invited_by: string; created_at: string; expires_at: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Invite somebody */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer" } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { id: number; email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; invited_by: string; created_at: string; expires_at: string; url: string; sent: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/invitations/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Take an invitation back */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { id: number; email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; invited_by: string; created_at: string; expires_at: string } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the audit log */
    get: { parameters: { query?: { page?: number; per_page?: number; actor?: string; action?: string; target?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { entries: ({ id: number; at: string; actor: string; actor_name: string | null; action: string; target: string; details: Record<string, unknown>; before: Record<string, unknown> | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List products */
    get: { parameters: { query?: { category?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a product */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; price: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean })[]; sku?: string | null; tax_class?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a product by id or slug */
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change a product */
    patch: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean })[]; sku?: string | null; tax_class?: string | null; archived?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/products/{id}/inventory': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a product's stock */
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { product_id: number; stock_qty: number; in_stock: boolean }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List customers */
    get: { parameters: { query?: { search?: string; email?: string; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Customer'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a customer */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email: string; password?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; accepts_marketing?: boolean; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; metadata?: Record<string, unknown> } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a customer */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Erase a customer */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { id: number; deleted: boolean }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a customer */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { email?: string; first_name?: string | null; last_name?: string | null; phone?: string | null; accepts_marketing?: boolean; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; metadata?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/customers/{id}/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Everything that is stored about a customer */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { customer: { id: number; email: string; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; metadata: Record<string, unknown>; created_at: string; updated_at: string }; orders: (Record<string, unknown>)[]; subscriptions: (Record<string, unknown>)[]; loyalty_ledger: (Record<string, unknown>)[]; contact: Record<string, unknown> | null; consents: (Record<string, unknown>)[]; memberships: (Record<string, unknown>)[]; events: (Record<string, unknown>)[]; messages: (Record<string, unknown>)[]; activity: (Record<string, unknown>)[]; flow_runs: (Record<string, unknown>)[]; notifications: (Record<string, unknown>)[]; mails: (Record<string, unknown>)[]; form_submissions: (Record<string, unknown>)[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/password': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Set a customer's password */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { password: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/verify-password': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Check a customer's password */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { password: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { customer_id: number; valid: boolean }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/loyalty': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a customer's points */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Loyalty']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/loyalty/ledger': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List what changed a customer's points */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; type: "earn" | "redeem" | "reverse_earn" | "restore" | "adjust"; points: number; order_id: number | null; reason: string | null; actor: string; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/loyalty/adjust': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Give or take points by hand */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { points: number; reason?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Loyalty']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/loyalty/settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the loyalty program */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Setting']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the loyalty program */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { points_per_dollar?: number; point_value?: number; min_redeem_points?: number; enabled?: boolean; earn_on?: "placed" | "delivered" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Setting']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/orders': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List orders */
    get: { parameters: { query?: { customer_id?: number; status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; date_from?: string; date_to?: string; is_subscription?: boolean; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Order'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Place an order */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id: number; items: ({ product_id: number; qty: number })[]; shipping_address: string; shipping_city: string; shipping_state?: string; shipping_zip: string; shipping_country?: string; promo_code?: string | null; redeem_points?: number; shipping_method_id?: number | null; external_id?: string | null; metadata?: Record<string, unknown>; accepts_marketing?: boolean } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Order']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/orders': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List a customer's orders */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Order'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read an order */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Order']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/history': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read what happened to an order */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; type: string; from: string | null; to: string | null; actor: string; message: string | null; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/status': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Move an order on, or note its tracking number */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; tracking_number?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Order']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/promo-codes/validate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Try a promo code on a basket */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id: number; items: ({ product_id: number; qty: number })[]; shipping_address: string; shipping_city: string; shipping_state?: string; shipping_zip: string; shipping_country?: string; promo_code: string; redeem_points?: number; shipping_method_id?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { promo_code: string; valid: boolean; discount: number; free_shipping: boolean; subtotal: number; shipping: number; tax: number; total: number }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscription-frequencies': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the frequencies that subscriptions can have */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; name: string; unit: "day" | "week" | "month" | "year"; interval: number; active: boolean; position: number })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List subscriptions */
    get: { parameters: { query?: { customer_id?: number; status?: "active" | "paused" | "past_due" | "cancelled" | "expired"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Subscription'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Start a subscription */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id: number; product_id: number; frequency_id: number; quantity?: number; start_date?: string; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a subscription */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change quantity, frequency or next date */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { quantity?: number; frequency_id?: number; next_billing_date?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/subscriptions/{id}/upcoming': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Preview the next order */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { subscription_id: number; customer_id: number; scheduled_date: string; frequency_id: number; frequency_name: string; items: ({ product_id: number; product_name: string; qty: number; price: number; subtotal: number })[]; subtotal: number; discount: number; tax: number; shipping: number; total: number; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; in_stock: boolean; warnings: (string)[]; following_dates: (string)[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}/orders': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List a subscription's orders */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Order'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}/history': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read what happened to a subscription */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; type: string; actor: string; message: string | null; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Cancel a subscription at once */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { reason?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}/pause': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Pause a subscription, until a date or until it is resumed */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { resume_on?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}/resume': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Resume a paused subscription */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/{id}/skip': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Skip the next date */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/promo-codes': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List promo codes */
    get: { parameters: { query?: { code?: string; active?: boolean; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['PromoCode'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a promo code */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { code: string; type: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value?: unknown; scope?: "order" | "products" | "categories"; product_ids?: (number)[]; category_slugs?: (string)[]; min_subtotal?: number | null; max_discount?: number | null; starts_at?: string | null; ends_at?: string | null; usage_limit?: number | null; per_customer_limit?: number | null; first_order_only?: boolean; active?: boolean } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PromoCode']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/promo-codes/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a promo code */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PromoCode']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a promo code */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PromoCode']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a promo code */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { code?: string; type?: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value?: unknown; scope?: "order" | "products" | "categories"; product_ids?: (number)[]; category_slugs?: (string)[]; min_subtotal?: number | null; max_discount?: number | null; starts_at?: string | null; ends_at?: string | null; usage_limit?: number | null; per_customer_limit?: number | null; first_order_only?: boolean; active?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PromoCode']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the shop's settings */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Setting2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the shop's settings */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; currency?: string; time_zone?: string; country?: string; tax_rounding?: "line" | "order"; prices_include_tax?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Setting2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/shipping-zones': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List shipping zones */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['ShippingZone'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a shipping zone */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; position?: number; countries?: (string)[]; states?: (string)[]; zip_patterns?: (string)[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingZone']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/shipping-zones/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a shipping zone */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingZone']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a shipping zone with its methods */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingZone']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a shipping zone */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; position?: number; countries?: (string)[]; states?: (string)[]; zip_patterns?: (string)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingZone']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/shipping-methods': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List shipping methods */
    get: { parameters: { query?: { zone_id?: number; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['ShippingMethod'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a shipping method */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { zone_id: number; name: string; type: "flat" | "by_subtotal" | "free_over"; position?: number; cost?: number | null; free_over?: number | null; brackets?: ({ from: number; cost: number })[] | null; active?: boolean } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/shipping-methods/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a shipping method */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a shipping method */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a shipping method */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { zone_id?: number; name?: string; type?: "flat" | "by_subtotal" | "free_over"; position?: number; cost?: number | null; free_over?: number | null; brackets?: ({ from: number; cost: number })[] | null; active?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['ShippingMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/tax-rules': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List tax rules */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['TaxRule'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a tax rule */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; country: string; rate: number; state?: string | null; zip_from?: string | null; zip_to?: string | null; priority?: number; compound?: boolean; applies_to_shipping?: boolean; tax_class?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['TaxRule']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tax-rules/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a tax rule */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['TaxRule']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a tax rule */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['TaxRule']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a tax rule */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; country?: string; rate?: number; state?: string | null; zip_from?: string | null; zip_to?: string | null; priority?: number; compound?: boolean; applies_to_shipping?: boolean; tax_class?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['TaxRule']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/webhook-endpoints': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the endpoints that are told of what the shop does */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { webhook_endpoints: (schemas['WebhookEndpoint'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add an endpoint */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { url: string; event_types?: (string)[]; description?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { endpoint_id: number; url: string; event_types: (string)[]; description: string; active: boolean; disabled_reason: string | null; failing_since: string | null; created_at: string; updated_at: string; secret: string } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-endpoints/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read an endpoint */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['WebhookEndpoint'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Remove an endpoint with its deliveries */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { endpoint_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change an endpoint, or switch it off or on again */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { url?: string; event_types?: (string)[]; description?: string; active?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['WebhookEndpoint'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/webhook-endpoints/{id}/deliveries': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the deliveries to an endpoint, newest first */
    get: { parameters: { query?: { status?: "pending" | "delivered" | "failed"; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { deliveries: (schemas['Delivery'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-endpoints/replay/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send failed deliveries again: all of the endpoint, or those named */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { delivery_ids?: (number)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { endpoint_id: number; replayed: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-endpoints/test/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send an endpoint a delivery of the type ping */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Delivery'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/outbox/refusals': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the events of the shop that the marketing side refused, the oldest first */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { refusals: ({ refusal_id: number; event_type: string; event_data: Record<string, unknown>; occurred_at: string; reason: string; refused_at: string; webhooks_queued: boolean })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/outbox/refusals/replay/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Replay a refused event */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { refusal_id: number; replayed: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/outbox/refusals/replay': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Replay the refused events, 1,000 at most at a time */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { replayed: number; remaining: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/outbox/refusals/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Give a refused event up */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { refusal_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List contacts */
    get: { parameters: { query?: { status?: "subscribed" | "unsubscribed" | "bounced"; list_id?: number; list_status?: "pending" | "active" | "unsubscribed"; search?: string; tag?: string; segment_id?: number; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contacts: (schemas['Contact'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create or update a contact */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; external_id?: string | null; source?: string | null; tags?: (string)[] | null; tags_mode?: "add" | "replace"; remove_tags?: (string)[]; properties?: Record<string, unknown> | null; status?: "subscribed" | "unsubscribed" | "bounced"; consent?: { email?: ("subscribed" | "unsubscribed" | "never") | ({ state: "subscribed" | "unsubscribed" | "never"; text?: string; ip?: string; user_agent?: string }); sms?: ("subscribed" | "unsubscribed" | "never") | ({ state: "subscribed" | "unsubscribed" | "never"; text?: string; ip?: string; user_agent?: string }) }; preferences?: { frequency?: "all" | "less_often"; paused_until?: string | null }; list_ids?: (number)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string; created: boolean } } }; 201: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string; created: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/batch': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create or update up to 500 contacts */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { contacts: (unknown)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { created: number; updated: number; rejected: number; results: ({ index: number; contact_id?: number; created?: boolean; error?: string; details?: ({ field: string; message: string })[] })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a contact */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Contact'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Erase a contact */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a contact */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; external_id?: string | null; source?: string | null; tags?: (string)[] | null; tags_mode?: "add" | "replace"; remove_tags?: (string)[]; properties?: Record<string, unknown> | null; status?: "subscribed" | "unsubscribed" | "bounced"; consent?: { email?: ("subscribed" | "unsubscribed" | "never") | ({ state: "subscribed" | "unsubscribed" | "never"; text?: string; ip?: string; user_agent?: string }); sms?: ("subscribed" | "unsubscribed" | "never") | ({ state: "subscribed" | "unsubscribed" | "never"; text?: string; ip?: string; user_agent?: string }) }; preferences?: { frequency?: "all" | "less_often"; paused_until?: string | null }; list_ids?: (number)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Contact'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/contacts/{id}/timeline': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** What a contact did and got, and what happened to it */
    get: { parameters: { query?: { cursor?: string; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { timeline: ({ type: "event" | "message" | "status_changed" | "list_changed" | "merged" | "preferences_changed"; at: string; data: Record<string, unknown> })[]; next_cursor: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/{id}/consents': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the consents of a contact */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number; consents: ({ channel: "email" | "sms"; state: "subscribed" | "unsubscribed" | "never"; since: string; source: string; address: string | null; text: string | null; ip: string | null; user_agent: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/{id}/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Everything that is stored about a contact */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact: { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string }; consents: ({ channel: "email" | "sms"; state: "subscribed" | "unsubscribed" | "never"; since: string; source: string; address: string | null; text: string | null; ip: string | null; user_agent: string | null })[]; memberships: (Record<string, unknown>)[]; events: (Record<string, unknown>)[]; messages: (Record<string, unknown>)[]; activity: ({ type: "event" | "message" | "status_changed" | "list_changed" | "merged" | "preferences_changed"; at: string; data: Record<string, unknown> })[]; flow_runs: (Record<string, unknown>)[]; notifications: (Record<string, unknown>)[]; mails: (Record<string, unknown>)[]; form_submissions: (Record<string, unknown>)[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/unsubscribe/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Unsubscribe a contact */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { list_ids?: (number)[]; channels?: ("email" | "sms")[]; reason?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Contact'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/resubscribe/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take an unsubscribed or bounced contact back */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { list_ids?: (number)[]; channels?: ("email" | "sms")[]; reason?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Contact'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/lists': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the lists */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { lists: (schemas['List'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a list */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; description?: string | null; double_opt_in?: boolean } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['List'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/lists/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a list */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['List'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a list */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { list_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a list */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; description?: string | null; double_opt_in?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['List'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/lists/{id}/contacts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Put contacts on a list */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { contact_ids?: (number)[]; emails?: (string)[]; consent?: { source?: string; ip?: string; at?: string } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { list_id: number; added: number; unchanged: number; not_found: { contact_ids: (number)[]; emails: (string)[] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/lists/{id}/contacts/remove': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take contacts off a list */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { contact_ids?: (number)[]; emails?: (string)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { list_id: number; removed: number; unchanged: number; not_found: { contact_ids: (number)[]; emails: (string)[] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/forms': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List signup forms */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { forms: (schemas['Form'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a signup form */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; list_ids?: (number)[]; channels?: ("email" | "sms")[]; double_opt_in?: boolean; fields?: ({ name: string; label?: string; required?: boolean })[]; allowed_origins?: (string)[]; success_text?: string | null; redirect_url?: string | null; language?: "en" | "de"; min_fill_seconds?: number; max_per_hour?: number; consent_text?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Form'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/forms/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a signup form */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Form'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a signup form */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { form_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a signup form */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; list_ids?: (number)[]; channels?: ("email" | "sms")[]; double_opt_in?: boolean; fields?: ({ name: string; label?: string; required?: boolean })[]; allowed_origins?: (string)[]; success_text?: string | null; redirect_url?: string | null; language?: "en" | "de"; min_fill_seconds?: number; max_per_hour?: number; consent_text?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Form'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/segments': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List segments */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segments: (schemas['Segment'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a segment */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Segment'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/segments/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Count the contacts that conditions pick */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { count: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/segments/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a segment */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segment_id: number; name: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; created_at: string; updated_at: string; count: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a segment */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segment_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a segment */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Segment'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List events */
    get: { parameters: { query?: { contact_id?: number; event_type?: string; from?: string; to?: string; cursor?: string; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { events: ({ event_id: number; event_type: string; contact_id: number; event_data: Record<string, unknown>; occurred_at: string; received_at: string; source: "api" | "webhook" | "shop" | "flow"; external_event_id: string | null })[]; pagination: { per_page: number; next_cursor: string | null } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Track an event */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { event_type: string; event_data: Record<string, unknown>; event_id?: string | number | null; occurred_at?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { event_id: number; event_type: string; contact_id: number; status: "accepted"; duplicate: boolean; flows_triggered: (number)[] } } }; 201: { headers: Record<string, unknown>; content: { 'application/json': { event_id: number; event_type: string; contact_id: number; status: "accepted"; duplicate: boolean; flows_triggered: (number)[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events/batch': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Track up to 500 events */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { events: (unknown)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { accepted: number; duplicates: number; rejected: ({ index: number; message: string })[]; events: ({ index: number; event_id: number; event_type: string; contact_id: number; status: "accepted"; duplicate: boolean; flows_triggered: (number)[] })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/event-types': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the event types that may be sent */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { event_types: ({ event_type: string; required_keys: (string)[]; built_in: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Register an event type, or change its required keys */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { event_type: string; required_keys?: (string)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { event_type: string; required_keys: (string)[]; built_in: boolean } } }; 201: { headers: Record<string, unknown>; content: { 'application/json': { event_type: string; required_keys: (string)[]; built_in: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/event-types/{event_type}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove a registered event type */
    delete: { parameters: { query?: never; header?: never; path: { event_type: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { event_type: string; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List flows */
    get: { parameters: { query?: { status?: "draft" | "active" | "paused" | "archived"; trigger_type?: string; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flows: (schemas['Flow'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a flow */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; trigger_type: string; status?: "draft" | "active"; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get a flow */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    /** Update a flow */
    put: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; trigger_type?: string; status?: "draft" | "active" | "paused" | "archived"; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null; apply_to?: "new" | "all" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    post?: never;
    /** Delete a flow */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Update a flow */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; trigger_type?: string; status?: "draft" | "active" | "paused" | "archived"; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null; apply_to?: "new" | "all" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/flows/activate/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Activate or resume a flow */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/pause/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Pause a flow */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/archive/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Archive a flow */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/duplicate/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Copy a flow into a draft */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/migrate/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Move runs to the newest version */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; version: number; migrated: number; pending: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/enroll/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Let contacts enter a flow */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { contact_ids?: (number)[]; event_data?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; enrolled: number; skipped: number; pending: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/test/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Walk through a flow without sending anything */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { contact_id?: number; contact?: Record<string, unknown>; event_data?: Record<string, unknown>; events?: ({ event_type: string; event_data?: Record<string, unknown>; after_minutes: number })[]; webhooks?: Record<string, "default" | "failed"> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; enters: boolean; path: ({ at: string; step_id: string | null; type: "send_email" | "send_sms" | "webhook" | "delay" | "wait_until" | "wait_for_event" | "branch" | "split" | "update_contact" | "add_tag" | "remove_tag" | "add_to_list" | "remove_from_list" | "track_event" | "start_flow" | "notify" | "goal" | "exit" | null; result: string; detail: string | null })[]; effects: ({ at: string; kind: string; detail: Record<string, unknown> })[]; status: string; reason: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/{id}/versions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the versions of a flow */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { versions: ({ flow_id: number; version: number; name: string; trigger_type: string; trigger_conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; steps: (schemas['FlowStep'])[]; connections: ({ from: string; to: string; branch?: string })[]; reentry: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours: { start: string; end: string; timezone?: string } | null; created_at: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/{id}/runs': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the runs of a flow */
    get: { parameters: { query?: { status?: "active" | "completed" | "exited" | "failed"; contact_id?: number; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { runs: ({ run_id: number; flow_id: number; version: number; contact_id: number; status: "active" | "completed" | "exited" | "failed"; reason: string | null; step_id: string | null; due_at: string | null; event_id: number | null; entered_at: string; ended_at: string | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/{id}/stats': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get the numbers of a flow and of its steps */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; totals: { entered: number; active: number; completed: number; exited: number; failed: number; converted: number; missed: number; sent: number }; steps: ({ step_id: string; entered: number; waiting: number; passed: number; failed: number; exited: number; sent: number; converted: number; opened: number; clicked: number; revenue: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/runs/{run_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get a run with its log */
    get: { parameters: { query?: never; header?: never; path: { run_id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Run'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/runs/retry/{run_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Try a failed run again */
    post: { parameters: { query?: never; header?: never; path: { run_id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Run'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/notifications': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List what notify steps told, the newest first */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { notifications: ({ notification_id: number; flow_id: number; run_id: number; step_id: string; contact_id: number; message: string; created_at: string })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/library': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List flows to begin with */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { library: ({ library_name: string; description: string; name: string; trigger_type: string; trigger_conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; steps: (schemas['FlowStep'])[]; connections: ({ from: string; to: string; branch?: string })[]; reentry: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours: { start: string; end: string; timezone?: string } | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/from-library/{name}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make a draft from the library */
    post: { parameters: { query?: never; header?: never; path: { name: string }; cookie?: never }; requestBody?: { content: { 'application/json': { name?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/messages': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the messages of flows and campaigns */
    get: { parameters: { query?: { status?: "queued" | "sent" | "failed" | "skipped" | "unknown"; channel?: "email" | "sms"; contact_id?: number; flow_id?: number; campaign_id?: number; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { messages: (schemas['Message'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/messages/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a message */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Message'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/messages/retry/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a failed or unknown message again */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Message'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/messages/mark-sent/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take an unknown message as sent */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Message'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mailbox': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List what the built-in mailbox caught */
    get: { parameters: { query?: { to?: string; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { messages: ({ id: number; channel: "email" | "sms"; contact_id: number | null; from: string; to: string; subject: string | null; message_id: string | null; created_at: string; excerpt: string | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mailbox/latest': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the newest message in the mailbox */
    get: { parameters: { query?: { to?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Latest'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mailbox/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a message in the mailbox */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Latest'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sending-settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how messages are sent */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingSetting'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change how messages are sent */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { from_email?: string; from_name?: string; reply_to?: string | null; sms_from?: string; sms_senders?: Record<string, string>; sms_stop_words?: (string)[]; sms_help_text?: string | null; quiet_hours?: { start: string; end: string; timezone?: string } | null; frequency_cap?: { messages: number; hours: number } | null; less_often_days?: number; language?: "en" | "de"; max_lateness_hours?: number; track_opens?: boolean; track_clicks?: boolean; attribution_days?: number; new_contacts_by_events?: "subscribed" | "never"; dkim?: { domain: string; selector: string; private_key: string } | null; bounces?: { ses?: { topic_arn: string } | null; sendgrid?: { public_key: string } | null; mailgun?: { signing_key: string } | null; postmark?: { username: string; password: string } | null } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingSetting'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/suppressions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List who is not written to */
    get: { parameters: { query?: { address?: string; channel?: "email" | "sms"; cause?: "unsubscribe" | "bounce" | "complaint" | "manual"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { suppressions: ({ channel: "email" | "sms"; cause: "unsubscribe" | "bounce" | "complaint" | "manual"; hash: string; created_at: string })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Suppress addresses */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { channel?: "email" | "sms"; addresses: (string)[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { added: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/suppressions/lift': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Lift suppressions of addresses */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { channel?: "email" | "sms"; addresses: (string)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { lifted: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/templates': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List templates */
    get: { parameters: { query?: { channel?: "email" | "sms"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { templates: (schemas['Template'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a template */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; channel?: "email" | "sms"; content: string; subject?: string | null; preview_text?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Template'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/templates/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Preview content that is not saved */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { channel?: "email" | "sms"; content: string; subject?: string | null; preview_text?: string | null; contact_id?: number; event_data?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Preview'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/templates/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a template */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Template'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a template */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { template_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a template */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; content?: string; subject?: string | null; preview_text?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Template'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/templates/preview/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Preview a template as a contact gets it */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { contact_id?: number; event_data?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Preview'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List campaigns */
    get: { parameters: { query?: { type?: "email" | "sms"; status?: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaigns: (schemas['Campaign'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a campaign */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; type: "email" | "sms"; subject?: string | null; preview_text?: string | null; content?: string | null; template_id?: number | null; from?: string | null; list_id?: number | null; segment_id?: number | null; variants?: ({ key: string; weight: number; subject?: string; preview_text?: string; content?: string; template_id?: number })[]; ab_test?: { share: number; hours: number; metric: "opened" | "clicked" | "converted" | "revenue" } | null; max_lateness_hours?: number | null; scheduled_at?: string | null; timezone?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a campaign */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a campaign */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a campaign */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; subject?: string | null; preview_text?: string | null; content?: string | null; template_id?: number | null; from?: string | null; list_id?: number | null; segment_id?: number | null; variants?: ({ key: string; weight: number; subject?: string; preview_text?: string; content?: string; template_id?: number })[]; ab_test?: { share: number; hours: number; metric: "opened" | "clicked" | "converted" | "revenue" } | null; max_lateness_hours?: number | null; scheduled_at?: string | null; timezone?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/campaigns/send/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send or schedule a campaign */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { scheduled_at?: string | null; timezone?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed"; scheduled_at: string | null; recipients: number; recipients_exact: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/pause/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Pause a campaign */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/resume/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Go on with a paused campaign */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/cancel/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Cancel a campaign */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/duplicate/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Copy a campaign as a new draft */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/retry/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send again what failed */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { include_unknown?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed"; requeued: number; remaining: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/test/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a test to addresses of your own */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { recipients: (string)[]; contact_id?: number; variant?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; queued: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/preview/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Preview a campaign as a contact gets it */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { contact_id?: number; variant?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Preview'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/{id}/recipients': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the recipients of a campaign */
    get: { parameters: { query?: { state?: "queued" | "sent" | "failed" | "skipped" | "unknown"; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { recipients: ({ message_id: number; contact_id: number | null; recipient: string | null; status: "queued" | "claimed" | "handing_over" | "sent" | "failed" | "skipped" | "unknown"; reason: string | null; variant: string | null; sent_at: string | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/{id}/report': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read what became of a campaign */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; counts: { queued: number; sent: number; failed: number; skipped: number; unknown: number; delivered: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number }; winner: string | null; variants: ({ key: string; counts: { queued: number; sent: number; failed: number; skipped: number; unknown: number; delivered: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number } })[]; links: ({ url: string; clicks: number })[]; days: ({ date: string; sent: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number })[]; reasons: ({ status: string; reason: string | null; count: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}

export interface accountPaths {
  '/session': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read who is signed in */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Sign in */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email: string; password: string; code?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    /** Sign out */
    delete: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session2'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Prove again who is signed in */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { password: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/links/look': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** See what a link is for */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { token: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { kind: "owner_setup" | "operator" | "invitation" | "magic" | "set_password"; email: string | null; company: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/links/use': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Use a link, once */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { token: string; email?: string; name?: string; password?: string; code?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the own account */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Me'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the own account */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; language?: "en" | "de"; theme?: "light" | "dark" | "auto" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Me'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/me/password': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Set the own password */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { password: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Me'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/sessions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the own sessions */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { sessions: ({ id: number; address: string; user_agent: string; created_at: string; last_seen_at: string; current: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/sessions/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** End one of the own sessions */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session2'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the description of this API */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': Record<string, unknown> } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/totp': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Begin to use an authenticator app */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { secret: string; url: string } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    /** Remove the authenticator app */
    delete: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session2'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/totp/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Confirm the authenticator app */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { code: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { recovery_codes: (string)[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
