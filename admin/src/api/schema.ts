// Made by `npm run client` from the OpenAPI document of the running code. Do not edit.
export interface schemas {
  'Session': { person: { id: number | null; email: string | null; name: string; language: "en" | "de"; theme: "light" | "dark" | "auto"; has_password: boolean; has_totp: boolean; passkeys: number }; companies: ({ id: number; name: string; currency: string; time_zone: string; country: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; scopes: (string)[] })[]; owns_installation: boolean; confirmed_at: string; expires_at: string; settings: { mail: boolean; test_clock: boolean; version: string } };
  'Session2': {  };
  'Me': { id: number | null; email: string | null; name: string; language: "en" | "de"; theme: "light" | "dark" | "auto"; has_password: boolean; has_totp: boolean; passkeys: number };
  'Option': { options: Record<string, unknown> };
  'Passkey': { id: number; name: string; created_at: string; last_used_at: string | null };
  'Health': { running: boolean; started_at: string | null; finished_at: string | null; error: string | null; checks: ({ id: string; status: "ok" | "note" | "wrong"; promise: string; violations: number; examples: ({ company_id: number | null; subject: string })[]; fix: string | null })[]; tables: ({ table: string; bytes: number; rows: number })[] };
  'Member': { id: number; email: string; name: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; has_totp: boolean; passkeys: number; created_at: string; last_seen_at: string | null };
  'Key': { id: number; name: string; scopes: (string)[]; requests_per_hour: number; expires_at: string | null; key: string };
  'StoreKey': { id: number; key: string; name: string; origins: (string)[]; location_id: number | null; created_at: string; revoked_at: string | null };
  'PaymentAccount': { id: number; provider: "stripe" | "mollie"; mode: "test" | "live"; name: string; active: boolean; publishable_key: string | null; secret_end: string | null; webhook_url: string; created_at: string; updated_at: string };
  'Show': { id: number; created_at: string; expires_at: string | null; secret: string };
  'View': { id: number; list: string; name: string; search: string };
  'Choice': { choices: ({ kind: "new_order" | "low_stock" | "dispute" | "renewal_failed" | "sending_paused"; app: boolean; mail: boolean })[] };
  'ShipAll': { id: number; action: "ship_orders" | "archive_products" | "restore_products" | "tag_contacts" | "untag_contacts" | "undo_tagging"; status: "running" | "done" | "cancelled"; total: number; changed: number; refused: number; refusals: ({ id: number; message: string })[]; created_at: string; finished_at: string | null };
  'Pagination': { page: number; per_page: number; total: number; total_pages: number };
  'Error': { error: string; code: number; message: string; details: ({ field: string; message: string })[]; request_id?: string; retry_after?: number };
  'Product': { id: number; name: string; slug: string; price: number; stock_qty: number; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean; alt?: string })[]; sku: string | null; tax_class: string | null; barcode: string | null; compare_at_price: number | null; cost: number | null; weight_g: number | null; requires_shipping: boolean | null; track_stock: boolean | null; low_stock_at: number | null; custom: Record<string, unknown>; seo_title: string | null; seo_description: string | null; status: "draft" | "active" | "archived"; publish_at: string | null; archived: boolean; active: boolean; has_variants: boolean; variant_count: number; price_max: number | null; options: ({ name: string; value?: string; values?: (string)[] })[]; variant_of: number | null; title: string | null; position: number | null; revision: number; created_at: string; updated_at: string; description: string; variants?: ({ id: number; name: string; slug: string; price: number; stock_qty: number; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean; alt?: string })[]; sku: string | null; tax_class: string | null; barcode: string | null; compare_at_price: number | null; cost: number | null; weight_g: number | null; requires_shipping: boolean | null; track_stock: boolean | null; low_stock_at: number | null; custom: Record<string, unknown>; seo_title: string | null; seo_description: string | null; status: "draft" | "active" | "archived"; publish_at: string | null; archived: boolean; active: boolean; has_variants: boolean; variant_count: number; price_max: number | null; options: ({ name: string; value?: string; values?: (string)[] })[]; variant_of: number | null; title: string | null; position: number | null; revision: number; created_at: string; updated_at: string })[] };
  'Inventory': { product_id: number; stock_qty: number; in_stock: boolean };
  'Category': { slug: string; name: string; description: string; position: number; product_count: number; revision: number; created_at: string; updated_at: string };
  'Collection': { id: number; slug: string; name: string; description: string; image_media_id: number | null; kind: "manual" | "rules"; rules: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] } | null; sort: "manual" | "newest" | "price_asc" | "price_desc" | "name_asc" | "best_selling"; status: "ready" | "updating"; product_count: number; custom: Record<string, unknown>; seo_title: string | null; seo_description: string | null; product_ids?: (number)[]; revision: number; created_at: string; updated_at: string };
  'CustomField': { id: number; on: "product" | "variant" | "collection" | "customer" | "order"; key: string; name: string; type: "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "moment" | "choice" | "url" | "color" | "weight" | "length" | "money" | "media" | "product" | "collection"; list: boolean; required: boolean; rules: { min?: number | string; max?: number | string; max_length?: number; choices?: (string)[] }; visible: "staff" | "store"; filterable: boolean; position: number; created_at: string; updated_at: string };
  'Location': { id: number; name: string; main: boolean; online: boolean; active: boolean; position: number; address: string | null; city: string | null; zip: string | null; state: string | null; country: string | null; created_at: string };
  'Adjustment': { id: number; reason: string | null; lines: ({ product_id: number; location_id: number; delta: number; available: number })[]; actor: string; created_at: string };
  'Receipt': { id: number; location_id: number; supplier: string | null; reference: string | null; lines: ({ product_id: number; qty: number; unit_cost: number | null })[]; actor: string; created_at: string };
  'Transfer': { id: number; status: "draft" | "in_transit" | "received" | "cancelled"; from_location_id: number; to_location_id: number; note: string | null; lines: ({ product_id: number; qty: number; received: number; missing: number; returned: number })[]; actor: string; created_at: string; updated_at: string; sent_at: string | null };
  'Customer': { id: number; revision: number; email: string; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; account: "none" | "invited" | "active" | "closed"; email_verified: boolean; metadata: Record<string, unknown>; custom: Record<string, unknown>; created_at: string; updated_at: string };
  'Customer2': { id: number; deleted: boolean };
  'Loyalty': { customer_id: number; current_balance: number; lifetime_points: number; dollar_value: number };
  'Setting': { points_per_dollar: number; point_value: number; min_redeem_points: number; enabled: boolean; earn_on: "placed" | "delivered" };
  'Order': { id: number; customer_id: number; status: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; subtotal: number; discount: number; tax: number; shipping: number; total: number; currency: string; tracking_number: string | null; items: ({ id: number; product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number; parent_id: number | null; title: string | null; options: ({ name: string; value: string })[] | null; sku: string | null; tax_class: string | null; categories: (string)[] | null })[]; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; shipping_method: string | null; tax_lines: ({ name: string; rate: number; amount: number })[]; promo_code: string | null; points_redeemed: number; external_id: string | null; metadata: Record<string, unknown>; custom: Record<string, unknown>; subscription_id: number | null; location_id: number | null; cart_id: number | null; origin: "store" | "api" | "staff" | "subscription" | null; guest: boolean; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; paid: number; refunded: number; balance: number | null; is_subscription: boolean; created_at: string; updated_at: string };
  'Cart': { id: number; status: "open" | "paying" | "placed" | "expired" | "merged" | "cancelled"; origin: "store" | "api" | "staff" | "subscription"; revision: number; subscription_id: number | null; cycle_date: string | null; customer_id: number | null; email: string | null; first_name: string; last_name: string; phone: string | null; lines: ({ id: number; product_id: number; parent_id: number | null; name: string; title: string | null; sku: string | null; options: ({ name: string; value: string })[]; image: string | null; qty: number; price: number; added_price: number; price_override: number | null; override_reason: string | null; subtotal: number; discount: number; tax: number })[]; promo_code: string | null; redeem_points: number; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string | null; shipping_method_id: number | null; location_id: number | null; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; accepts_marketing: boolean | null; custom: Record<string, unknown>; metadata: Record<string, unknown>; note: string | null; currency: string; subtotal: number; discount: number; promo_discount: number; points_discount: number; points_redeemed: number; shipping: number; shipping_method: { id: number; name: string } | null; shipping_methods: ({ id: number; name: string; cost: number })[]; tax: number; tax_lines: ({ name: string; rate: number; amount: number })[]; total: number; estimated: boolean; problems: ({ code: "out_of_stock" | "not_sold" | "price_changed" | "shipping_unavailable" | "promo_not_found" | "promo_inactive" | "promo_not_started" | "promo_expired" | "promo_usage_limit" | "promo_customer_limit" | "promo_min_subtotal" | "promo_not_applicable" | "loyalty_disabled" | "below_min_redeem" | "insufficient_points" | "too_large"; line_id: number | null })[]; payment: { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; dispute_due_by: string | null; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "capture_declined" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string } | null; reserved_until: string | null; order_id: number | null; recover_url: string | null; created_at: string; updated_at: string };
  'Pay': { status: "open" | "action_required" | "processing" | "placed"; order: { id: number; customer_id: number; status: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; subtotal: number; discount: number; tax: number; shipping: number; total: number; currency: string; tracking_number: string | null; items: ({ id: number; product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number; parent_id: number | null; title: string | null; options: ({ name: string; value: string })[] | null; sku: string | null; tax_class: string | null; categories: (string)[] | null })[]; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; shipping_method: string | null; tax_lines: ({ name: string; rate: number; amount: number })[]; promo_code: string | null; points_redeemed: number; external_id: string | null; metadata: Record<string, unknown>; custom: Record<string, unknown>; subscription_id: number | null; location_id: number | null; cart_id: number | null; origin: "store" | "api" | "staff" | "subscription" | null; guest: boolean; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; paid: number; refunded: number; balance: number | null; is_subscription: boolean; created_at: string; updated_at: string } | null; order_token: string | null; payment: { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; dispute_due_by: string | null; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "capture_declined" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string; client_secret: string | null; publishable_key: string | null; redirect_url: string | null } | null; reserved_until: string | null };
  'PayLink': { url: string; expires_at: string };
  'Note': { id: number; customer_id: number; order_id: number | null; text: string; actor: string; actor_name: string | null; created_at: string };
  'SubscriptionFrequency': { id: number; name: string; unit: "day" | "week" | "month" | "year"; interval: number; active: boolean; position: number };
  'Subscription': { id: number; customer_id: number; product_id: number; frequency_id: number; frequency_name: string; quantity: number; price: number; status: "active" | "paused" | "past_due" | "cancelled" | "expired"; next_billing_date: string | null; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; resume_on: string | null; pause_reason: string | null; saved_method_id: number | null; payment_attempts: number; cancelled_at: string | null; cancel_reason: string | null; created_at: string; updated_at: string };
  'PromoCode': { id: number; code: string; type: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value: unknown; scope: "order" | "products" | "categories" | "collections"; product_ids: (number)[]; category_slugs: (string)[]; collection_ids: (number)[]; min_subtotal: number | null; max_discount: number | null; starts_at: string | null; ends_at: string | null; usage_limit: number | null; per_customer_limit: number | null; first_order_only: boolean; active: boolean; is_template: boolean; valid_days: number | null; template_id: number | null; used_count: number; created_at: string; updated_at: string };
  'Setting2': { name: string; currency: string; time_zone: string; country: string; tax_rounding: "line" | "order"; prices_include_tax: boolean; address: string; tax_number: string };
  'CheckoutSetting': { store_url: string | null; show_stock: "few" | "exact" | "none"; cart_merge: "larger" | "add"; abandoned_after_minutes: number; refund_on_cancel: boolean; wrong_amount: "refund" | "hold"; retry_days: (number)[]; after_retries: "pause" | "skip" | "cancel" };
  'ShippingZone': { id: number; name: string; position: number; countries: (string)[]; states: (string)[]; zip_patterns: (string)[]; created_at: string; updated_at: string };
  'ShippingMethod': { id: number; zone_id: number; name: string; position: number; type: "flat" | "by_subtotal" | "free_over"; cost: number | null; free_over: number | null; brackets: ({ from: number; cost: number })[] | null; active: boolean; created_at: string; updated_at: string };
  'PaymentMethod': { id: number; provider: "manual" | "stripe" | "mollie"; kind: string; name: string; description: string | null; instructions: string | null; account_id: number | null; position: number; active: boolean; staff_only: boolean; places: "at_once" | "when_paid"; reserve_minutes: number; capture: "at_once" | "on_shipped" | "by_hand"; min_total: number | null; max_total: number | null; created_at: string; updated_at: string };
  'Payment': { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; dispute_due_by: string | null; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "capture_declined" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string };
  'Payment2': { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; dispute_due_by: string | null; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "capture_declined" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string; operations: ({ id: number; kind: "start" | "charge" | "capture" | "cancel" | "refund" | "forget"; amount: number; state: "ready" | "calling" | "uncertain" | "done" | "declined"; refund_id: number | null; attempts: number; error: string | null; created_at: string })[] };
  'Refund': { id: number; order_id: number; amount: number; shipping: number; currency: string; reason: string | null; to: "original" | "manual"; status: "pending" | "done" | "failed"; lines: ({ line_id: number; qty: number; amount: number; restocked: number })[]; actor: string; created_at: string };
  'TaxRule': { id: number; name: string; country: string; state: string | null; zip_from: string | null; zip_to: string | null; rate: number; priority: number; compound: boolean; applies_to_shipping: boolean; tax_class: string | null; created_at: string; updated_at: string };
  'Media': { id: number; kind: "picture" | "file" | "link"; url: string; variants: { thumb: string; medium: string; large: string } | null; alt: string; title: string; tags: (string)[]; focal_point: { x: number; y: number } | null; bytes: number; width: number | null; height: number | null; used_in: ({ kind: "product" | "collection"; id: number; name: string })[]; revision: number; created_at: string };
  'Import': { id: number; format: "shopify-products" | "shopify-customers" | "shopify-orders" | "woocommerce-products" | "woocommerce-customers" | "woocommerce-orders" | "medusa-products" | "vendure-products" | "mailchimp" | "klaviyo" | "csv-contacts" | "csv-customers" | "csv-products" | "csv-orders"; kind: "contacts" | "customers" | "products" | "orders"; file_name: string; status: "uploading" | "checking" | "checked" | "running" | "done" | "undoing" | "undone" | "failed" | "cancelled"; bytes: number; chunks: number; options: { mapping?: (string | null)[]; email_consent?: "subscribed" | "unsubscribed" | "never"; sms_consent?: "subscribed" | "unsubscribed" | "never"; list_id?: number; tags?: (string)[]; untracked_stock?: number; only_new?: boolean; variants?: "grouped" | "separate"; date_order?: "day_first" | "month_first"; decimal_separator?: "point" | "comma"; time_zone?: string; encoding?: "utf-8" | "windows-1252" | "utf-16le" }; header: (string)[]; mapping: (string | null)[]; readings: ({ column: string | null; field: string; kind: "date_order" | "decimal_separator" | "time_zone"; value: string; decided_by: "option" | "values" | "default"; example: string | null })[]; notices: ({ code: "column_not_kept" | "stock_not_counted" | "sku_repeated" | "refunded" | "order_without_email"; column: string | null; count: number })[]; total: number | null; position: number; created: number; updated: number; unchanged: number; skipped: number; refused: number; suppressed: number; undone: number; kept: number; error: string | null; created_at: string; finished_at: string | null; undo_until: string | null };
  'CommerceError': { success: false; error: { message: string; code: number; details: { reason: string; request_id: string; fields?: ({ field: string; code: string; message: string })[] } } };
  'WebhookEndpoint': { endpoint_id: number; url: string; event_types: (string)[]; description: string; active: boolean; disabled_reason: string | null; failing_since: string | null; created_at: string; updated_at: string };
  'Delivery': { delivery_id: number; endpoint_id: number; message_id: string; event_type: string; entity: string; body: string; status: "pending" | "delivered" | "failed"; attempts: number; due_at: string; response_status: number | null; response_body: string | null; error: string | null; created_at: string; finished_at: string | null; request_id: string | null };
  'Contact': { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string; time_zone?: string | null; last_activity_at?: string | null };
  'List': { list_id: number; name: string; description: string; double_opt_in: boolean; internal: boolean; counts: { active: number; pending: number; unsubscribed: number }; created_at: string; updated_at: string };
  'Form': { form_id: number; public_id: string; name: string; list_ids: (number)[]; channels: ("email" | "sms")[]; double_opt_in: boolean; fields: ({ name: string; label?: string; required?: boolean })[]; allowed_origins: (string)[]; success_text: string | null; redirect_url: string | null; language: "en" | "de"; min_fill_seconds: number; max_per_hour: number; look: { title: string | null; text: string | null; button: string | null; color: string | null; logo_url: string | null }; consent_text: string; submissions: number; confirmed: number; page_url: string; embed: string; created_at: string; updated_at: string };
  'Segment': { segment_id: number; name: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; created_at: string; updated_at: string };
  'Flow': { flow_id: number; status: "draft" | "active" | "paused" | "archived"; version: number; revision: number; name: string; trigger_type: string; trigger_conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps: (schemas['FlowStep'])[]; connections: ({ from: string; to: string; branch?: string })[]; reentry: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours: { start: string; end: string; timezone?: string } | null; created_at: string; updated_at: string; stats: { entered: number; active: number; completed: number; exited: number; failed: number; converted: number; missed: number; sent: number }; warnings?: ({ code: "same_trigger" | "empty_coupon" | "button_without_link" | "no_postal_address" | "empty_link"; step_id: string | null; detail: string | null; message: string })[] };
  'Run': { run_id: number; flow_id: number; version: number; contact_id: number; contact: { email: string | null; phone: string | null; first_name: string | null; last_name: string | null } | null; status: "active" | "completed" | "exited" | "failed"; reason: string | null; step_id: string | null; due_at: string | null; event_id: number | null; entered_at: string; ended_at: string | null; request_id: string | null; event: Record<string, unknown> | null; vars: Record<string, unknown>; log: ({ at: string; step_id: string | null; type: "send_email" | "send_sms" | "webhook" | "delay" | "wait_until" | "wait_for_event" | "branch" | "split" | "update_contact" | "add_tag" | "remove_tag" | "add_to_list" | "remove_from_list" | "track_event" | "start_flow" | "notify" | "goal" | "exit" | null; result: string; detail: string | null })[] };
  'Message': { message_id: number; channel: "email" | "sms"; status: "queued" | "claimed" | "handing_over" | "sent" | "failed" | "skipped" | "unknown"; reason: string | null; reply: string | null; contact_id: number | null; recipient: string | null; transactional: boolean; origin: "flow" | "campaign" | "system"; flow_id: number | null; run_id: number | null; step_id: string | null; campaign_id: number | null; variant: string | null; attempts: number; due_at: string; created_at: string; handed_over_at: string | null; ended_at: string | null; request_id: string | null };
  'Latest': { id: number; channel: "email" | "sms"; contact_id: number | null; from: string; to: string; subject: string | null; message_id: string | null; created_at: string; preview_text: string | null; text: string; html: string | null; headers: Record<string, unknown> };
  'SendingSetting': { from_email: string; from_name: string; reply_to: string | null; sms_from: string; sms_senders: Record<string, string>; sms_stop_words: (string)[]; sms_help_text: string | null; quiet_hours: { start: string; end: string; timezone?: string } | null; frequency_cap: { messages: number; hours: number } | null; less_often_days: number; language: "en" | "de"; max_lateness_hours: number; track_opens: boolean; track_clicks: boolean; attribution_days: number; max_complaint_rate: number | null; max_bounce_rate: number | null; domain_limits: Record<string, number>; new_contacts_by_events: "subscribed" | "never"; held_since: string | null; held_because: "restored" | "loaded" | "asked" | "failover" | null; dkim: { domain?: string; selector?: string } | null; bounces: { ses: { url: string; topic_arn: string } | null; sendgrid: { url: string; public_key: string } | null; mailgun: { url: string } | null; postmark: { url: string; username: string } | null } };
  'SendingDomain': { domain_id: number; domain: string; state: "pending" | "verified" | "failing"; records: ({ purpose: "dkim" | "spf" | "dmarc" | "tracking"; type: "TXT" | "CNAME"; name: string; value: string | null; required: boolean; state: "unchecked" | "found" | "missing" | "wrong" | "unreachable" | "taken" | "no_https" | "limited"; found: string | null })[]; tracking_host: string | null; tracking_state: "pending" | "no_https" | "verified" | "failing" | null; warm_up: { starts_on: string; ends_on: string; messages: number; growth: number; days: ({ day: string; messages: number; handed_over: number })[] } | null; verified_at: string | null; failing_since: string | null; checked_at: string | null; created_at: string };
  'Deliverability': { state: "ok" | "warning" | "paused"; reason: "complaint_rate" | "bounce_rate" | null; paused_at: string | null; resumed_at: string | null; from: string; to: string; sent: number; bounced: number; complained: number; bounce_rate: number; complaint_rate: number; limits: { bounce_rate: number; complaint_rate: number; least_messages: number } };
  'SendingAccount': { account_id: number; name: string; channel: "email" | "sms"; provider: "smtp" | "ses" | "sendgrid" | "postmark" | "mailgun" | "twilio"; active: boolean; smtp: { host: string; port: number; username: string; security: "tls" | "starttls" | "none" } | null; ses: { region: string; access_key: string; configuration_set: string | null; api_url: string | null } | null; sendgrid: { region: "global" | "eu"; api_url: string | null } | null; postmark: { message_stream: string; api_url: string | null } | null; mailgun: { domain: string; region: "us" | "eu"; api_url: string | null } | null; twilio: { account_sid: string; api_url: string | null } | null; secret_end: string | null; rate: number | null; connections: number | null; notifications_url: string | null; failing_since: string | null; failure: string | null; created_at: string; updated_at: string };
  'Template': { template_id: number; name: string; channel: "email" | "sms"; subject: string | null; preview_text: string | null; content: string; design: { version?: number; style?: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer" | "columns"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string; columns?: ({ width?: number; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string })[] })[] })[] } | null; revision: number; created_at: string; updated_at: string };
  'Template2': { template_id: number; name: string; channel: "email" | "sms"; subject: string | null; preview_text: string | null; content: string; design: { version?: number; style?: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer" | "columns"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string; columns?: ({ width?: number; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string })[] })[] })[] } | null; revision: number; created_at: string; updated_at: string; warnings: (string)[] };
  'Preview': { subject: string | null; preview_text: string | null; html: string | null; text: string; sms: { encoding?: "gsm7" | "ucs2"; segments?: number; units?: number } | null; warnings: (string)[]; findings: ({ code: "unknown_variable" | "empty_link" | "unusual_link" | "local_link" | "insecure_picture" | "picture_without_text" | "too_large" | "no_unsubscribe" | "few_words" | "many_capitals" | "unverified_sender" | "empty_coupon" | "button_without_link" | "no_postal_address"; field: "subject" | "preview_text" | "content" | "from"; detail: string | null; suggestion: string | null })[]; addresses: ({ address: string; kind: "link" | "picture"; unchecked: "personal" | "incomplete" | null })[]; content?: string };
  'BrandKit': { logo_url: string | null; website_url: string | null; product_url: string | null; address: string | null; style: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; social_links: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[] };
  'Campaign': { campaign_id: number; name: string; type: "email" | "sms"; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed"; reason: string | null; subject: string | null; preview_text: string | null; content: string | null; template_id: number | null; from: string | null; list_id: number | null; segment_id: number | null; audiences: ({ list_id?: number; segment_id?: number; unopened_campaign_id?: number })[]; exclude: ({ list_id?: number; segment_id?: number })[]; variants: ({ key: string; weight: number; subject?: string; preview_text?: string; content?: string; template_id?: number; from?: string })[]; ab_test: { share: number; hours: number; metric: "opened" | "clicked" | "converted" | "revenue" } | null; winner: string | null; max_lateness_hours: number | null; holdout_percent: number; held_out: number | null; send_in_contact_time_zone: boolean; batches: { size?: number; count?: number; minutes: number } | null; batch_progress: { size: number; released: number; next_at: string | null; ends_at: string | null } | null; scheduled_at: string | null; starts_at: string | null; started_at: string | null; finished_at: string | null; recipients: number; recipients_exact: boolean; counts: { queued: number; sent: number; failed: number; skipped: number; unknown: number; delivered: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number; refunded: number; net: number }; revision: number; warm_up?: { domain: string; today: number; handed_over_today: number; completes_on: string }; created_at: string; updated_at: string };
  'RetentionSetting': { events_months: number | null; messages_months: number | null; contact_activity_months: number | null; flow_runs_months: number | null; flow_log_days: number | null; carts_days: number | null; mailbox_days: number | null; webhook_deliveries_days: number | null; requests_days: number | null; progress: ({ kind: "events" | "messages" | "contact_activity" | "flow_runs" | "flow_log" | "carts" | "mailbox" | "webhook_deliveries" | "requests"; removed_before: string | null; removed: number })[] };
  'FlowStep': ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "send_email"; config?: { template_id?: number; subject?: string; content?: string; preview_text?: string; from?: string; transactional?: boolean } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "send_sms"; config?: { content: string; transactional?: boolean } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "webhook"; config?: { url: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: Record<string, string>; body?: string | Record<string, unknown>; save_as?: string } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "delay"; config?: { value: number; unit: "minutes" | "hours" | "days" | "weeks" } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "wait_until"; config?: { time?: string; weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[]; timezone?: string; date_field?: string; yearly?: boolean; offset?: { value: number; unit: "minutes" | "hours" | "days" | "weeks" } } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "wait_for_event"; config?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[]; since?: "flow_entry" | "step_entry"; timeout?: { value: number; unit: "minutes" | "hours" | "days" | "weeks" } } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "branch"; config?: { paths: ({ key: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } })[] } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "split"; config?: { variants: ({ key: string; weight: number })[] } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "update_contact"; config?: { first_name?: string; last_name?: string; properties?: Record<string, unknown> } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "add_tag"; config?: { tag: string } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "remove_tag"; config?: { tag: string } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "add_to_list"; config?: { list_id: number } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "remove_from_list"; config?: { list_id: number } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "track_event"; config?: { event_type: string; event_data?: Record<string, unknown> } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "start_flow"; config?: { flow_id: number } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "notify"; config?: { message: string } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "goal"; config?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } }) | ({ step_id: string; name?: string; comment?: string; position?: { x: number; y: number }; type: "exit"; config?: { reason?: string } });
  'MarketingError': { error: "bad_request" | "unauthorized" | "not_found" | "rate_limit_exceeded" | "internal_error"; code: number; message: string; details: ({ field: string; message: string })[]; request_id?: string };
}

export interface paths {
  '/overview/sales': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read sales */
    get: { parameters: { query?: { from?: string; to?: string; interval?: "day" | "week" | "month"; compare?: "previous" | "week" | "year" | "none" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { currency: string; time_zone: string; interval: "day" | "week" | "month"; period: { from: string; to: string; total: { orders: number; cancelled: number; revenue: number; refunded: number; net: number; average: number; returning: number }; intervals: ({ start: string; orders: number; cancelled: number; revenue: number; refunded: number; net: number; average: number; returning: number })[] }; compared: { from: string; to: string; total: { orders: number; cancelled: number; revenue: number; refunded: number; net: number; average: number; returning: number }; intervals: ({ start: string; orders: number; cancelled: number; revenue: number; refunded: number; net: number; average: number; returning: number })[] } | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview/products': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read what sells and what runs out */
    get: { parameters: { query?: { by?: "product" | "variant" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { currency: string; best_sellers: ({ product_id: number; name: string; qty: number; revenue: number; stock_qty: number; days_left: number })[]; running_out: ({ product_id: number; name: string; qty: number; revenue: number; stock_qty: number; days_left: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview/carts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how many carts become orders */
    get: { parameters: { query?: { from?: string; to?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { from: string; to: string; begun: number; with_address: number; placed: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview/marketing': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read what marketing led to */
    get: { parameters: { query?: { from?: string; to?: string; interval?: "day" | "week" | "month" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { currency: string; from: string; to: string; interval: "day" | "week" | "month"; revenue: { total: { orders: number; revenue: number; refunded: number; net: number }; flows: { orders: number; revenue: number; refunded: number; net: number }; campaigns: { orders: number; revenue: number; refunded: number; net: number }; sources: ({ type: "flow" | "campaign"; id: number; name: string | null; orders: number; revenue: number; refunded: number; net: number })[] }; growth: { total: { subscribed: number; unsubscribed: number }; lists: ({ list_id: number; name: string; subscribed: number; unsubscribed: number })[] }; deliverability: { total: { sent: number; bounced: number; complained: number; bounce_rate: number; complaint_rate: number }; limits: { bounce_rate: number; bounce_rate_target: number; complaint_rate: number; complaint_rate_target: number } }; intervals: ({ start: string; flow_revenue: number; flow_net: number; campaign_revenue: number; campaign_net: number; subscribed: number; unsubscribed: number; sent: number; bounced: number; complained: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview/attention': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List what needs attention */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': ({ kind: "marketing_paused" | "near_limits" | "orders_waiting" | "orders_unpaid" | "orders_to_pay_back" | "payments_to_check" | "subscriptions_past_due" | "messages_held" | "messages_unknown" | "deliveries_failed" | "events_refused"; count: number; hint: string | null })[] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/contact': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Find the contact that a customer is */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/{id}/customer': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Find the customer that a contact is */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { customer_id: number | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customer-names': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Name the customers of a list */
    get: { parameters: { query: { ids: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { customers: ({ id: number; name: string; email: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/messages': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the messages to a customer */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { messages: ({ message_id: number; channel: "email" | "sms"; status: "queued" | "claimed" | "handing_over" | "sent" | "failed" | "skipped" | "unknown"; reason: string | null; origin: "flow" | "campaign" | "system"; origin_id: number | null; title: string | null; at: string })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/timeline': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read everything that happened to an order */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { timeline: ({ kind: "cart" | "history" | "points" | "message" | "note"; id: number; at: string; type: string; from: string | null; to: string | null; points: number | null; text: string | null; actor: string | null; actor_name: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/pictures': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Upload a picture */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { "image/*": Blob } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { id: number; url: string; width: number; height: number; variants: { thumb: string; medium: string; large: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/pictures/usage': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how much room the pictures take */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { pictures: number; bytes: number; max_bytes: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/search': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Search records of every kind */
    get: { parameters: { query: { q: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { hits: ({ kind: "order" | "product" | "customer" | "contact" | "flow" | "campaign" | "segment"; id: number; name: string; detail: string | null; archived?: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
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
  '/members/{id}/sessions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List a member's sessions */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { sessions: ({ id: number; address: string; user_agent: string; created_at: string; last_seen_at: string; current: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** End a member's sessions */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { ended: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/invitations': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List invitations */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { invitations: ({ id: number; email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; invited_by: string; created_at: string; expires_at: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Invite somebody */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; language?: "en" | "de" } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { id: number; email: string; role: "owner" | "manager" | "marketer" | "fulfilment" | "viewer"; invited_by: string; created_at: string; expires_at: string; url: string | null; sent: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/keys': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List API keys */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { keys: ({ id: number; name: string; scopes: (string)[]; requests_per_hour: number; expires_at: string | null; display: string; status: "active" | "expired" | "revoked"; created_at: string; revoked_at: string | null; last_used_at: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create an API key */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; scopes: ("products:read" | "products:write" | "orders:read" | "orders:write" | "customers:read" | "customers:write" | "subscriptions:read" | "subscriptions:write" | "loyalty:read" | "inventory:read" | "inventory:write" | "carts:read" | "carts:write" | "payments:read" | "payments:write" | "settings:read" | "settings:write" | "marketing:read" | "marketing:write" | "events:write" | "*")[]; requests_per_hour?: number; expires_at?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Key'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/keys/rotate/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Replace an API key */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { overlap_hours?: number } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Key'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/keys/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Revoke an API key */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { id: number; name: string; scopes: (string)[]; requests_per_hour: number; expires_at: string | null; display: string; status: "active" | "expired" | "revoked"; created_at: string; revoked_at: string | null; last_used_at: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/store-keys': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List store keys */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { store_keys: ({ id: number; key: string; name: string; origins: (string)[]; location_id: number | null; created_at: string; revoked_at: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a store key */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; origins?: (string)[]; location_id?: number | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['StoreKey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/store-keys/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a store key */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['StoreKey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Revoke a store key */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['StoreKey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change the sites of a store key */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; origins?: (string)[]; location_id?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['StoreKey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/payment-accounts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List payment accounts */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { payment_accounts: ({ id: number; provider: "stripe" | "mollie"; mode: "test" | "live"; name: string; active: boolean; publishable_key: string | null; secret_end: string | null; webhook_url: string; created_at: string; updated_at: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add an account at a payment service */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { provider: "stripe" | "mollie"; mode: "test" | "live"; name: string; secret_key: string; publishable_key?: string | null; webhook_secret?: string | null; active?: boolean } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['PaymentAccount'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/payment-accounts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a payment account */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['PaymentAccount'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a payment account with its secrets */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a payment account */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; secret_key?: string; publishable_key?: string | null; webhook_secret?: string | null; active?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['PaymentAccount'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/payment-accounts/{id}/check': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Try a payment account */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { id: number; ok: boolean; methods: (string)[]; message: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-secrets': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the secrets of the webhook that takes events in */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { url: string; require_timestamp: boolean; secrets: ({ id: number; created_at: string; expires_at: string | null; status: "active" | "expiring" | "expired" })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-secrets/show/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Show a secret */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Show'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-secrets/rotate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Replace the secret */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: { content: { 'application/json': { overlap_hours?: number } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Show'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/requests': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the latest requests of the API keys */
    get: { parameters: { query?: { page?: number; per_page?: number; key_id?: number; status?: "2xx" | "4xx" | "5xx"; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; path?: string; error?: string; request_id?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { requests: ({ id: number; at: string; api: "commerce" | "marketing"; method: string; path: string; status: number; duration_ms: number; key_id: number | null; key_name: string | null; request_id: string; error: string | null; fields: string | null; left_out: number })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the audit log */
    get: { parameters: { query?: { page?: number; per_page?: number; actor?: string; action?: string; target?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { entries: ({ id: number; at: string; actor: string; actor_name: string | null; action: string; target: string; details: Record<string, unknown>; before: Record<string, unknown> | null; erased: boolean })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/audit/actors': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the actors in the audit log */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { actors: ({ actor: string; name: string | null; member: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/views': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List one's own views of a list */
    get: { parameters: { query: { list: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { views: ({ id: number; list: string; name: string; search: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Save a view under a name */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { list: string; name: string; search: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['View'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/views/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Delete a view */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['View'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/staff-notices': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List one's own notices */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { notices: ({ id: number; kind: "new_order" | "low_stock" | "dispute" | "renewal_failed" | "sending_paused"; record: number | null; details: { amount?: number; currency?: string; name?: string; stock?: number; reason?: string }; created_at: string; read: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/staff-notices/unread': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Count one's own unread notices */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { unread: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/staff-notices/read': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Mark a notice as read */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { id: number; before?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { unread: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/staff-notices/choices': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read of what one is told, and how */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Choice'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    /** Choose how one is told of a kind */
    put: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { kind: "new_order" | "low_stock" | "dispute" | "renewal_failed" | "sending_paused"; app: boolean; mail: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Choice'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/ship-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Mark all orders that match as shipped */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { filters: { customer_id?: number; status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; to_fulfill?: boolean; date_from?: string; date_to?: string; time_zone?: string; is_subscription?: boolean; payment_status?: "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; balance?: "due" | "credit" } } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/archive-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Archive all products that match */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { filters: { category?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; archived?: boolean; status?: "draft" | "active" | "archived" } } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/restore-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Restore all archived products that match */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { filters: { category?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; archived?: boolean; status?: "draft" | "active" | "archived" } } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/tag-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add a tag to all contacts that match */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { filters: { status?: "subscribed" | "unsubscribed" | "bounced"; list_id?: number; list_status?: "pending" | "active" | "unsubscribed"; search?: string; tag?: string; segment_id?: number }; tag: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/untag-all': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take a tag away from all contacts that match */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { filters: { status?: "subscribed" | "unsubscribed" | "bounced"; list_id?: number; list_status?: "pending" | "active" | "unsubscribed"; search?: string; tag?: string; segment_id?: number }; tag: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bulk-actions/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how far a bulk action is */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bulk-actions/{id}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop a bulk action */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bulk-actions/{id}/cancel-tagging': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop a bulk action on contacts */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/bulk-actions/{id}/undo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take a bulk action on tags back */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['ShipAll'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/{id}/recipients/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** The recipients of a campaign as CSV */
    get: { parameters: { query?: { state?: "queued" | "sent" | "failed" | "skipped" | "unknown" | "opened" | "clicked" | "bounced" }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': string } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/address-checks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Call the links and pictures of an e-mail */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { addresses: ({ address: string; kind: "link" | "picture" })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { addresses: ({ address: string; kind: "link" | "picture"; result: "ok" | "bad_status" | "not_a_picture" | "large_picture" | "unreachable" | "not_checked"; status: number | null; reason: "unknown_host" | "refused" | "timed_out" | "certificate" | "not_public" | "redirects" | "failed" | "personal" | "port" | "password" | "not_web" | "out_of_time" | null; type: string | null; bytes: number | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Everything of a company as a ZIP archive */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': string } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { category?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; archived?: boolean; status?: "draft" | "active" | "archived"; include?: "variants"; sku?: string; barcode?: string; price_min?: number; price_max?: number; collection?: string; [name: `option.${string}`]: string | number | boolean | undefined; [name: `custom.${string}`]: string | number | boolean | undefined; facets?: string; sort?: "newest" | "oldest" | "name_asc" | "name_desc" | "price_asc" | "price_desc" | "stock_asc" | "stock_desc" | "relevance"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string; pagination: schemas['Pagination']; facets?: ({ key: string; name: string; values: ({ value: string; label: string; count: number })[]; min: number | null; max: number | null; exact: boolean })[] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a product */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null; status?: "draft" | "active" | "archived"; publish_at?: string | null; options?: ({ name: string; values: (string)[] })[]; variants?: ({ options: ({ name: string; value: string })[]; price: number; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; stock_qty?: number; subscription_enabled?: boolean; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; status?: "draft" | "active" | "archived"; position?: number })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    /** Change several products */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { products: ({ id: number; name?: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null; status?: "draft" | "active" | "archived"; publish_at?: string | null; archived?: boolean; position?: number })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    patch: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null; status?: "draft" | "active" | "archived"; publish_at?: string | null; archived?: boolean; position?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/products/{id}/inventory': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a product's stock */
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Inventory']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/variants': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List a product's variants */
    get: { parameters: { query?: { archived?: boolean; page?: number; per_page?: number }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add variants to a product */
    post: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { variants: ({ options: ({ name: string; value: string })[]; price: number; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; stock_qty?: number; subscription_enabled?: boolean; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; status?: "draft" | "active" | "archived"; position?: number })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/variants/generate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add a variant for each missing combination of option values */
    post: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { price: number; stock_qty?: number; custom?: Record<string, unknown>; dry_run?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string } } } }; 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    /** Set the options of a product */
    put: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { options: ({ name: string; values: (string)[]; new_name?: string; renames?: ({ value: string; new_value: string })[]; default?: string })[]; variant?: ({ name: string; value: string })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/group': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make products the variants of a new product */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; slug?: string; description?: string; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; custom?: Record<string, unknown>; options: ({ name: string; values: (string)[] })[]; variants: ({ product_id: number; options: ({ name: string; value: string })[] })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Product']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/ungroup': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make the variants of a product simple products */
    post: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { id: number; deleted: boolean; product_ids: (number)[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/categories': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List categories */
    get: { parameters: { query?: { search?: string; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Category'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a category */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; slug?: string | null; description?: string; position?: number } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Category']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/categories/{slug}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a category */
    get: { parameters: { query?: never; header?: never; path: { slug: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Category']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a category */
    delete: { parameters: { query?: never; header?: never; path: { slug: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Category']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a category */
    patch: { parameters: { query?: never; header?: never; path: { slug: string }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; description?: string; position?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Category']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/collections': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List collections */
    get: { parameters: { query?: { kind?: "manual" | "rules"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Collection'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a collection */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; kind: "manual" | "rules"; rules?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] }; slug?: string; description?: string; image_media_id?: number | null; sort?: "manual" | "newest" | "price_asc" | "price_desc" | "name_asc" | "best_selling"; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Collection']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/collections/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a collection by id or slug */
    get: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Collection']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a collection */
    delete: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Collection']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a collection */
    patch: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; rules?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] }; slug?: string; description?: string; image_media_id?: number | null; sort?: "manual" | "newest" | "price_asc" | "price_desc" | "name_asc" | "best_selling"; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Collection']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/collections/{id}/products': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    /** Set the products of a collection */
    put: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { product_ids: (number)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Collection']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/collections/count': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Count the products that rules select */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { rules: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { count: number | null }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/custom-fields': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List custom fields */
    get: { parameters: { query?: { on?: "product" | "variant" | "collection" | "customer" | "order"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['CustomField'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a custom field */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { on: "product" | "variant" | "collection" | "customer" | "order"; key: string; name: string; type: "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "moment" | "choice" | "url" | "color" | "weight" | "length" | "money" | "media" | "product" | "collection"; list?: boolean; required?: boolean; rules?: { min?: number | string; max?: number | string; max_length?: number; choices?: (string)[] }; visible?: "staff" | "store"; filterable?: boolean; position?: number } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['CustomField']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/custom-fields/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a custom field */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['CustomField']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a custom field */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['CustomField']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a custom field */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; type?: "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "moment" | "choice" | "url" | "color" | "weight" | "length" | "money" | "media" | "product" | "collection"; list?: boolean; required?: boolean; rules?: { min?: number | string; max?: number | string; max_length?: number; choices?: (string)[] }; visible?: "staff" | "store"; filterable?: boolean; position?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['CustomField']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/products/{id}/related': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List products bought together with a product */
    get: { parameters: { query?: { limit?: number; page?: number; per_page?: number }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Product'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/price-history': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List a product's prices */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; old_price: number | null; new_price: number; actor: string; actor_name: string | null; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/stock-movements': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List what changed a product's stock */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; product_id: number; location_id: number; kind: "initial" | "adjust" | "order" | "cancel" | "restock" | "reserve" | "release" | "transfer" | "receipt" | "import"; reference_id: number | null; order_id: number | null; delta: number; reason: string | null; actor: string; actor_name: string | null; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/inventory/adjust': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Adjust a product's stock */
    post: { parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }; requestBody: { content: { 'application/json': { delta: number; reason?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Inventory']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/locations': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List locations */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Location'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a location */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; online?: boolean; position?: number; address?: string | null; city?: string | null; zip?: string | null; state?: string | null; country?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Location']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/locations/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a location */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Location']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change, close or reopen a location */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; active?: boolean; online?: boolean; position?: number; address?: string | null; city?: string | null; zip?: string | null; state?: string | null; country?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Location']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/inventory': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the stock of products by location */
    get: { parameters: { query?: { location_id?: number; product_id?: number; search?: string; low?: boolean; running_out?: boolean; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ product_id: number; name: string; sku: string | null; barcode: string | null; stock_qty: number; in_stock: boolean; reserved: number; low_stock_at: number | null; levels: ({ location_id: number; available: number; reserved: number })[] })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/products/{id}/reservations': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the reservations of a product */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: string }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; cart_id: number; location_id: number; qty: number; reserved_until: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/adjustments': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List adjustments of stock */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Adjustment'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Adjust the stock of several products */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { reason?: string | null; lines: ({ product_id: number; location_id?: number; delta?: number; set_to?: number })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Adjustment']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/receipts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List receipts of goods */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Receipt'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Record goods that arrived */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { location_id: number; supplier?: string | null; reference?: string | null; lines: ({ product_id: number; qty: number; unit_cost?: number | null })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Receipt']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/receipts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a receipt of goods */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Receipt']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/transfers': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List transfers between locations */
    get: { parameters: { query?: { status?: "draft" | "in_transit" | "received" | "cancelled"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Transfer'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Draft a transfer between locations */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { from_location_id: number; to_location_id: number; note?: string | null; lines: ({ product_id: number; qty: number })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Transfer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/transfers/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a transfer */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Transfer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change a draft of a transfer */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { from_location_id?: number; to_location_id?: number; note?: string | null; lines?: ({ product_id: number; qty: number })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Transfer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/inventory/transfers/{id}/send': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a transfer */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Transfer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/transfers/{id}/receive': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Receive goods of a transfer */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { lines?: ({ product_id: number; qty: number })[]; complete?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Transfer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/inventory/transfers/{id}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Cancel a transfer */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Transfer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List customers */
    get: { parameters: { query?: { search?: string; email?: string; tag?: string; sort?: "newest" | "oldest" | "spent_asc" | "spent_desc" | "last_order_asc" | "last_order_desc"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Customer'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a customer */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email: string; password?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; accepts_marketing?: boolean; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; metadata?: Record<string, unknown>; custom?: Record<string, unknown> } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a customer */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { email?: string; first_name?: string | null; last_name?: string | null; phone?: string | null; accepts_marketing?: boolean; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; metadata?: Record<string, unknown>; custom?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/customers/{id}/figures': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read what a customer has spent */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { customer_id: number; currency: string; spent: number; refunded: number; net: number; last_order_at: string | null }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/merge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Merge another customer into a customer */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { from: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/export': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Everything that is stored about a customer */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { customer: { id: number; revision: number; email: string; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; account: "none" | "invited" | "active" | "closed"; email_verified: boolean; metadata: Record<string, unknown>; custom: Record<string, unknown>; created_at: string; updated_at: string }; orders: (Record<string, unknown>)[]; order_ledger: (Record<string, unknown>)[]; refunds: (Record<string, unknown>)[]; saved_payment_methods: (Record<string, unknown>)[]; subscriptions: (Record<string, unknown>)[]; carts: (Record<string, unknown>)[]; loyalty_ledger: (Record<string, unknown>)[]; addresses: (Record<string, unknown>)[]; sessions: (Record<string, unknown>)[]; passkeys: (Record<string, unknown>)[]; notes: (Record<string, unknown>)[]; contact: Record<string, unknown> | null; consents: (Record<string, unknown>)[]; memberships: (Record<string, unknown>)[]; events: (Record<string, unknown>)[]; messages: (Record<string, unknown>)[]; activity: (Record<string, unknown>)[]; flow_runs: (Record<string, unknown>)[]; notifications: (Record<string, unknown>)[]; mails: (Record<string, unknown>)[]; form_submissions: (Record<string, unknown>)[]; omitted: (string)[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/customers/{id}/account': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how a customer can sign in */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { account: "none" | "invited" | "active" | "closed"; email_verified: boolean; has_password: boolean; passkeys: number; sessions: number; last_seen_at: string | null }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/invite': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Invite a customer to open an account */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/close-account': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Close a customer's account */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/end-sessions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Sign a customer out everywhere */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { customer_id?: number; status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; to_fulfill?: boolean; date_from?: string; date_to?: string; time_zone?: string; is_subscription?: boolean; payment_status?: "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; balance?: "due" | "credit"; search?: string; sort?: "newest" | "oldest" | "relevance"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Order'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Place an order */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id: number; items: ({ product_id: number; qty: number })[]; shipping_address: string; shipping_city: string; shipping_state?: string; shipping_zip: string; shipping_country?: string; promo_code?: string | null; redeem_points?: number; shipping_method_id?: number | null; location_id?: number | null; external_id?: string | null; metadata?: Record<string, unknown>; custom?: Record<string, unknown>; accepts_marketing?: boolean; payments?: ({ method_id: number; amount: number; reference?: string | null; received_on?: string | null })[] } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Order']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/calculate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Calculate what an order would cost */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id?: number; items: ({ product_id: number; qty: number })[]; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string; promo_code?: string | null; redeem_points?: number; shipping_method_id?: number | null; location_id?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { currency: string; items: ({ product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number })[]; subtotal: number; discount: number; promo_discount: number; points_discount: number; points_redeemed: number; points_earned: number; shipping: number; shipping_country: string; shipping_method: { id: number; name: string } | null; shipping_methods: ({ id: number; name: string; cost: number })[]; tax: number; tax_lines: ({ name: string; rate: number; amount: number })[]; total: number }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    /** Move an order on, or note its tracking number or custom values */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; tracking_number?: string | null; carrier?: string | null; custom?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Order']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/promo-codes/validate': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Try a promo code on a basket */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id: number; items: ({ product_id: number; qty: number })[]; shipping_address: string; shipping_city: string; shipping_state?: string; shipping_zip: string; shipping_country?: string; promo_code: string; redeem_points?: number; shipping_method_id?: number | null; location_id?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { promo_code: string; valid: boolean; discount: number; free_shipping: boolean; subtotal: number; shipping: number; tax: number; total: number }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List carts */
    get: { parameters: { query?: { status?: "open" | "paying" | "placed" | "expired" | "merged" | "cancelled"; origin?: "store" | "api" | "staff" | "subscription"; customer_id?: number; email?: string; abandoned?: boolean; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Cart'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a cart */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: { content: { 'application/json': { lines?: ({ product_id: number; qty: number; price_override?: number | null; override_reason?: string | null })[]; customer_id?: number | null; email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; promo_code?: string | null; redeem_points?: number; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; shipping_method_id?: number | null; location_id?: number | null; billing?: { first_name?: string | null; last_name?: string | null; company?: string | null; address: string; city: string; state?: string | null; zip: string; country?: string | null } | null; accepts_marketing?: boolean | null; custom?: Record<string, unknown>; metadata?: Record<string, unknown>; note?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a cart */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Cancel a cart */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a cart */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { customer_id?: number | null; email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; promo_code?: string | null; redeem_points?: number; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; shipping_method_id?: number | null; location_id?: number | null; billing?: { first_name?: string | null; last_name?: string | null; company?: string | null; address: string; city: string; state?: string | null; zip: string; country?: string | null } | null; accepts_marketing?: boolean | null; custom?: Record<string, unknown>; metadata?: Record<string, unknown>; note?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/carts/{id}/lines': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add products to a cart */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { lines: ({ product_id: number; qty: number; price_override?: number | null; override_reason?: string | null })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts/{id}/lines/{line_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove a line from a cart */
    delete: { parameters: { query?: never; header?: never; path: { id: number; line_id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a line of a cart */
    patch: { parameters: { query?: never; header?: never; path: { id: number; line_id: number }; cookie?: never }; requestBody: { content: { 'application/json': { qty?: number; price_override?: number | null; override_reason?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Cart']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/carts/{id}/pay': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Pay a cart */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { method_id?: number | null; saved_method_id?: number | null; expected_total?: number; return_url?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Pay']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts/{id}/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Read the state of a payment */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Pay']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts/{id}/reopen': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Cancel the payment of a cart */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Pay']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts/{id}/place': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Place a cart as an order */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { payments?: ({ method_id: number; amount: number; reference?: string | null; received_on?: string | null })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Order']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/carts/{id}/pay-link': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make a link to pay a cart */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { send?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PayLink']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/notes': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the notes about a customer */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Note'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Write a note about a customer */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { text: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Note']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customer-notes/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Delete a note about a customer */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Note']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/notes': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the notes about an order */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Note'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Write a note about an order */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { text: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Note']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/order-notes/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Delete a note about an order */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Note']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscription-frequencies': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the frequencies that subscriptions can have */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['SubscriptionFrequency'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a frequency */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; unit: "day" | "week" | "month" | "year"; interval: number; active?: boolean; position?: number } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['SubscriptionFrequency']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscription-frequencies/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a frequency */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['SubscriptionFrequency']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete a frequency */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['SubscriptionFrequency']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Rename, move or switch off a frequency */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; active?: boolean; position?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['SubscriptionFrequency']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/subscriptions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List subscriptions */
    get: { parameters: { query?: { customer_id?: number; status?: "active" | "paused" | "past_due" | "cancelled" | "expired"; renews_on?: string; sort?: "newest" | "oldest" | "next_renewal_asc" | "next_renewal_desc"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Subscription'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Start a subscription */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { customer_id: number; product_id: number; frequency_id: number; quantity?: number; start_date?: string; saved_method_id?: number | null; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/subscriptions/calendar': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the delivery calendar */
    get: { parameters: { query?: { from?: string; to?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { from: string; to: string; currency: string; days: ({ date: string; renewals: number; quantity: number; subtotal: number })[]; overdue: { renewals: number; subtotal: number }; complete: boolean }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
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
    /** Change product, quantity, frequency, next date, address or payment method */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { product_id?: number; quantity?: number; frequency_id?: number; next_billing_date?: string; saved_method_id?: number | null; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Subscription']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; type: string; actor: string; actor_name: string | null; message: string | null; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { code?: string; active?: boolean; is_template?: boolean; sort?: "newest" | "oldest" | "code_asc" | "code_desc" | "ends_asc" | "ends_desc" | "used_asc" | "used_desc"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['PromoCode'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a promo code */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { code: string; type: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value?: unknown; scope?: "order" | "products" | "categories" | "collections"; product_ids?: (number)[]; category_slugs?: (string)[]; collection_ids?: (number)[]; min_subtotal?: number | null; max_discount?: number | null; starts_at?: string | null; ends_at?: string | null; usage_limit?: number | null; per_customer_limit?: number | null; first_order_only?: boolean; active?: boolean; is_template?: boolean; valid_days?: number | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PromoCode']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { code?: string; type?: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value?: unknown; scope?: "order" | "products" | "categories" | "collections"; product_ids?: (number)[]; category_slugs?: (string)[]; collection_ids?: (number)[]; min_subtotal?: number | null; max_discount?: number | null; starts_at?: string | null; ends_at?: string | null; usage_limit?: number | null; per_customer_limit?: number | null; first_order_only?: boolean; active?: boolean; is_template?: boolean; valid_days?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PromoCode']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/promo-codes/{id}/coupons': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the coupons of a template */
    get: { parameters: { query?: { used?: boolean; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; code: string; ends_at: string | null; used: boolean; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create coupons of a template */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { count: number } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { template_id: number; codes: (string)[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
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
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; currency?: string; time_zone?: string; country?: string; tax_rounding?: "line" | "order"; prices_include_tax?: boolean; address?: string | null; tax_number?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Setting2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/checkout-settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the checkout settings */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['CheckoutSetting']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the checkout settings */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { store_url?: string | null; show_stock?: "few" | "exact" | "none"; cart_merge?: "larger" | "add"; abandoned_after_minutes?: number; refund_on_cancel?: boolean; wrong_amount?: "refund" | "hold"; retry_days?: (number)[]; after_retries?: "pause" | "skip" | "cancel" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['CheckoutSetting']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/payment-methods': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List payment methods */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['PaymentMethod'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a payment method */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { provider?: "manual" | "stripe" | "mollie"; kind: string; name: string; places?: "at_once" | "when_paid"; account_id?: number | null; description?: string | null; instructions?: string | null; position?: number; active?: boolean; staff_only?: boolean; reserve_minutes?: number; capture?: "at_once" | "on_shipped" | "by_hand"; min_total?: number | null; max_total?: number | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PaymentMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/payment-methods/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a payment method */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PaymentMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change a payment method */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { kind?: string; name?: string; places?: "at_once" | "when_paid"; account_id?: number | null; description?: string | null; instructions?: string | null; position?: number; active?: boolean; staff_only?: boolean; reserve_minutes?: number; capture?: "at_once" | "on_shipped" | "by_hand"; min_total?: number | null; max_total?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PaymentMethod']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/payments': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List payments */
    get: { parameters: { query?: { status?: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; order_id?: number; due_before?: string; provider?: "manual" | "stripe" | "mollie"; attention?: "wrong_amount" | "dispute" | "capture_declined" | "uncertain" | "any"; ends_before?: string; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Payment'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/payments/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a payment */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Payment2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/payments/{id}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Cancel a payment */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Payment2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/payments/{id}/capture': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Capture an authorized payment */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { amount?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Payment2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/payments': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the payments of an order */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Payment'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Record money received for an order */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { method_id: number; amount: number; reference?: string | null; received_on?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Payment']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/ledger': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the ledger of an order */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { charged: number; paid: number; refunded: number; balance: number | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; entries: ({ id: number; side: "charge" | "payment"; kind: "order" | "credit" | "cancel" | "manual" | "capture" | "refund" | "refund_reversed" | "chargeback" | "chargeback_reversed"; amount: number; payment_id: number | null; refund_id: number | null; reference: string | null; received_on: string | null; actor: string; created_at: string })[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/pay-link': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Make a link to pay an order */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { send?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['PayLink']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/orders/{id}/refunds': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the refunds of an order */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Refund'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Refund an order, in whole or in part */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { lines?: ({ line_id: number; qty: number; restock?: boolean })[]; shipping?: number; amount?: number; to?: "original" | "manual"; reason?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Refund']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/saved-payment-methods': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List a customer's saved payment methods */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: ({ id: number; provider: "stripe" | "mollie"; label: string; brand: string | null; last4: string | null; expires_on: string | null; created_at: string })[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/customers/{id}/saved-payment-methods/{method_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove a customer's saved payment method */
    delete: { parameters: { query?: never; header?: never; path: { id: number; method_id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Customer2']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    patch?: never;
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
  '/media': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the media library */
    get: { parameters: { query?: { kind?: "picture" | "file" | "link"; search?: string; unused?: boolean; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Media'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add to the media library */
    post: { parameters: { query?: { title?: string }; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { kind: "link"; url: string; title?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Media']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/media/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a picture, file or link */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Media']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Delete from the media library */
    delete: { parameters: { query?: { force?: boolean }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Media']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change title, alternative text, tags or focal point */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { alt?: string; title?: string; tags?: (string)[]; focal_point?: { x: number; y: number } | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Media']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/import-formats': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List import formats */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { formats: ({ name: string; title: string; kind: "contacts" | "customers" | "products" | "orders"; fields: (string)[]; columns: ({ column: string; field: string })[] })[] }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List imports */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: (schemas['Import'])[]; meta: { request_id: string; pagination: schemas['Pagination'] } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Begin an import */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { format: "shopify-products" | "shopify-customers" | "shopify-orders" | "woocommerce-products" | "woocommerce-customers" | "woocommerce-orders" | "medusa-products" | "vendure-products" | "mailchimp" | "klaviyo" | "csv-contacts" | "csv-customers" | "csv-products" | "csv-orders"; file_name: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get an import */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/chunks': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Upload a chunk of the file */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { n: number; data: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Preview an import */
    get: { parameters: { query?: { encoding?: "utf-8" | "windows-1252" | "utf-16le" }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { header: (string)[]; mapping: (string | null)[]; custom_fields: ({ field: string; name: string })[]; sample: ((string)[])[]; needs_consent: boolean }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/check': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Check an import */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { mapping?: (string | null)[]; email_consent?: "subscribed" | "unsubscribed" | "never"; sms_consent?: "subscribed" | "unsubscribed" | "never"; list_id?: number; tags?: (string)[]; untracked_stock?: number; only_new?: boolean; variants?: "grouped" | "separate"; date_order?: "day_first" | "month_first"; decimal_separator?: "point" | "comma"; time_zone?: string; encoding?: "utf-8" | "windows-1252" | "utf-16le" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/run': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Run a checked import */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/cancel': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Cancel an import */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/undo': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Undo an import */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': {  } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: schemas['Import']; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/imports/{id}/findings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List refused rows */
    get: { parameters: { query?: { phase?: "check" | "run" | "undo"; after?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { success: true; data: { findings: ({ phase: "check" | "run" | "undo"; row: number; column: string | null; field: string | null; reason: string; cells: (string)[] | null })[]; next: number | null }; meta: { request_id: string } } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhook-endpoints': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List webhook endpoints */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { webhook_endpoints: (schemas['WebhookEndpoint'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add an endpoint */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { url: string; event_types?: ("order_placed" | "payment_pending" | "payment_failed" | "payment_returned" | "payment_disputed" | "order_paid" | "order_refunded" | "order_refund_reversed" | "order_shipped" | "order_completed" | "order_cancelled" | "checkout_started" | "cart_abandoned" | "product_viewed" | "customer_created" | "customer_updated" | "customer_merged" | "subscription_created" | "subscription_scheduled" | "subscription_renewed" | "subscription_past_due" | "subscription_payment_failed" | "subscription_skipped" | "subscription_paused" | "subscription_cancelled" | "payment_method_expiring" | "list_joined" | "segment_joined" | "date_reached" | "loyalty_adjusted" | "stock_low")[]; description?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { endpoint_id: number; url: string; event_types: (string)[]; description: string; active: boolean; disabled_reason: string | null; failing_since: string | null; created_at: string; updated_at: string; secret: string } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { url?: string; event_types?: ("order_placed" | "payment_pending" | "payment_failed" | "payment_returned" | "payment_disputed" | "order_paid" | "order_refunded" | "order_refund_reversed" | "order_shipped" | "order_completed" | "order_cancelled" | "checkout_started" | "cart_abandoned" | "product_viewed" | "customer_created" | "customer_updated" | "customer_merged" | "subscription_created" | "subscription_scheduled" | "subscription_renewed" | "subscription_past_due" | "subscription_payment_failed" | "subscription_skipped" | "subscription_paused" | "subscription_cancelled" | "payment_method_expiring" | "list_joined" | "segment_joined" | "date_reached" | "loyalty_adjusted" | "stock_low")[]; description?: string; active?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['WebhookEndpoint'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/webhook-endpoints/{id}/deliveries': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the deliveries to an endpoint, newest first */
    get: { parameters: { query?: { status?: "pending" | "delivered" | "failed"; before?: number; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { deliveries: (schemas['Delivery'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { refusals: ({ refusal_id: number; event_type: string; event_data: Record<string, unknown>; occurred_at: string; reason: string; refused_at: string; webhooks_queued: boolean; request_id: string | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { status?: "subscribed" | "unsubscribed" | "bounced"; list_id?: number; list_status?: "pending" | "active" | "unsubscribed"; search?: string; tag?: string; segment_id?: number; sort?: "newest" | "oldest" | "email_asc" | "email_desc" | "last_activity_asc" | "last_activity_desc"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contacts: (schemas['Contact'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create or update a contact */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; external_id?: string | null; source?: string | null; tags?: (string)[] | null; tags_mode?: "add" | "replace"; remove_tags?: (string)[]; properties?: Record<string, unknown> | null; status?: "subscribed" | "unsubscribed" | "bounced"; consent?: { email?: ("subscribed" | "unsubscribed" | "never") | ({ state: "subscribed" | "unsubscribed" | "never"; text?: string; ip?: string; user_agent?: string }); sms?: ("subscribed" | "unsubscribed" | "never") | ({ state: "subscribed" | "unsubscribed" | "never"; text?: string; ip?: string; user_agent?: string }) }; preferences?: { frequency?: "all" | "less_often"; paused_until?: string | null }; list_ids?: (number)[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string; time_zone?: string | null; last_activity_at?: string | null; created: boolean } } }; 201: { headers: Record<string, unknown>; content: { 'application/json': { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string; time_zone?: string | null; last_activity_at?: string | null; created: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/contacts/{id}/merge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Merge another contact into a contact */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { other_contact_id: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Contact'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/contacts/{id}/timeline': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Actions, messages and changes of a contact */
    get: { parameters: { query?: { kind?: "messages" | "orders" | "events" | "changes"; cursor?: string; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { timeline: ({ type: "event" | "message" | "status_changed" | "list_changed" | "merged" | "preferences_changed"; at: string; data: Record<string, unknown> })[]; next_cursor: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { contact: { contact_id: number; email: string | null; first_name: string | null; last_name: string | null; phone: string | null; external_id: string | null; source: string | null; tags: (string)[]; properties: Record<string, unknown>; status: "subscribed" | "unsubscribed" | "bounced"; consent: { email: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string }; sms: { state: "subscribed" | "unsubscribed" | "never"; since: string; source: string } }; preferences: { frequency: "all" | "less_often"; paused_until: string | null }; lists: ({ list_id: number; status: "pending" | "active" | "unsubscribed" })[]; created_at: string; updated_at: string; time_zone?: string | null; last_activity_at?: string | null }; consents: ({ channel: "email" | "sms"; state: "subscribed" | "unsubscribed" | "never"; since: string; source: string; address: string | null; text: string | null; ip: string | null; user_agent: string | null })[]; memberships: (Record<string, unknown>)[]; events: (Record<string, unknown>)[]; messages: (Record<string, unknown>)[]; activity: ({ type: "event" | "message" | "status_changed" | "list_changed" | "merged" | "preferences_changed"; at: string; data: Record<string, unknown> })[]; flow_runs: (Record<string, unknown>)[]; notifications: (Record<string, unknown>)[]; mails: (Record<string, unknown>)[]; form_submissions: (Record<string, unknown>)[]; hold_outs: (Record<string, unknown>)[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; description?: string | null; double_opt_in?: boolean; internal?: boolean } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['List'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; description?: string | null; double_opt_in?: boolean; internal?: boolean } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['List'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; list_ids?: (number)[]; channels?: ("email" | "sms")[]; double_opt_in?: boolean; fields?: ({ name: string; label?: string; required?: boolean })[]; allowed_origins?: (string)[]; success_text?: string | null; redirect_url?: string | null; language?: "en" | "de"; min_fill_seconds?: number; max_per_hour?: number; look?: { title?: string | null; text?: string | null; button?: string | null; color?: string | null; logo_url?: string | null }; consent_text?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Form'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; list_ids?: (number)[]; channels?: ("email" | "sms")[]; double_opt_in?: boolean; fields?: ({ name: string; label?: string; required?: boolean })[]; allowed_origins?: (string)[]; success_text?: string | null; redirect_url?: string | null; language?: "en" | "de"; min_fill_seconds?: number; max_per_hour?: number; look?: { title?: string | null; text?: string | null; button?: string | null; color?: string | null; logo_url?: string | null }; consent_text?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Form'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/forms/{id}/days': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Count the submissions of a signup form by day */
    get: { parameters: { query?: { days?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { form_id: number; days: ({ day: string; submissions: number; confirmed: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/segments': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List segments */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segments: ({ segment_id: number; name: string; conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; created_at: string; updated_at: string; counted: { day: string; count: number | null } | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; sample?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { count: number; sample?: ({ contact_id: number; email: string | null; phone: string | null; first_name: string | null; last_name: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/segments/{id}/explain': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Explain why a contact is in a segment, or is not */
    get: { parameters: { query: { contact_id: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segment_id: number; contact_id: number; member: boolean; rules: ({ path: string; holds: boolean; value?: unknown })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/segments/{id}/growth': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List how many contacts a segment had on each day */
    get: { parameters: { query?: { days?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segment_id: number; growth: ({ day: string; count: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/segments/{id}/overlap': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Count the contacts that two segments share */
    get: { parameters: { query: { segment_id: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { segment_id: number; other_segment_id: number; count: number; other_count: number; both: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
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
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; trigger_type: string; status?: "draft" | "active"; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings?: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    put: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; trigger_type?: string; status?: "draft" | "active" | "paused" | "archived"; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings?: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null; apply_to?: "new" | "all" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    post?: never;
    /** Delete a flow */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Update a flow */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; trigger_type?: string; status?: "draft" | "active" | "paused" | "archived"; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings?: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null; apply_to?: "new" | "all" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Flow'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/flows/{id}/migration': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Preview a move of runs to the newest version */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; version: number; standing: ({ version: number; step_id: string | null; runs: number; fits: boolean })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
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
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { moves?: ({ step_id: string; to: string | null })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; version: number; migrated: number; pending: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    /** Enroll contacts in a flow */
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
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { contact_id?: number; contact?: Record<string, unknown>; event_data?: Record<string, unknown>; starts_at?: string; draft?: { trigger_type?: string; trigger_conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings?: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps?: (schemas['FlowStep'])[]; connections?: ({ from: string; to: string; branch?: string })[]; reentry?: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on?: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal?: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours?: { start: string; end: string; timezone?: string } | null }; events?: ({ event_type: string; event_data?: Record<string, unknown>; after_minutes: number })[]; webhooks?: Record<string, "default" | "failed"> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; enters: boolean; path: ({ at: string; step_id: string | null; type: "send_email" | "send_sms" | "webhook" | "delay" | "wait_until" | "wait_for_event" | "branch" | "split" | "update_contact" | "add_tag" | "remove_tag" | "add_to_list" | "remove_from_list" | "track_event" | "start_flow" | "notify" | "goal" | "exit" | null; result: string; detail: string | null })[]; decisions: ({ at: string; step_id: string | null; branch: string; paths: ({ key: string; holds: boolean; rules: ({ field: string; comparison: string; value: unknown; found: (unknown)[] | null; holds: boolean })[] })[] })[]; effects: ({ at: string; kind: string; detail: Record<string, unknown> })[]; status: string; reason: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/flows/{id}/versions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the versions of a flow */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { versions: ({ flow_id: number; version: number; name: string; trigger_type: string; trigger_conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps: (schemas['FlowStep'])[]; connections: ({ from: string; to: string; branch?: string })[]; reentry: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours: { start: string; end: string; timezone?: string } | null; created_at: string })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: { status?: "active" | "completed" | "exited" | "failed"; contact_id?: number; before?: number; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { runs: ({ run_id: number; flow_id: number; version: number; contact_id: number; contact: { email: string | null; phone: string | null; first_name: string | null; last_name: string | null } | null; status: "active" | "completed" | "exited" | "failed"; reason: string | null; step_id: string | null; due_at: string | null; event_id: number | null; entered_at: string; ended_at: string | null; request_id: string | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { flow_id: number; totals: { entered: number; active: number; completed: number; exited: number; failed: number; converted: number; missed: number; sent: number }; steps: ({ step_id: string; entered: number; waiting: number; passed: number; failed: number; exited: number; sent: number; converted: number; branches: ({ branch: string; passed: number })[]; opened: number; clicked: number; revenue: number; refunded: number; net: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    /** List notifications of notify steps, newest first */
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
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { library: ({ library_name: string; description: string; name: string; trigger_type: string; trigger_conditions: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] } | null; trigger_settings: { date_field?: string; days?: number; time?: string; yearly?: boolean; segment_id?: number } | null; steps: (schemas['FlowStep'])[]; connections: ({ from: string; to: string; branch?: string })[]; reentry: { mode: "always" | "once" | "cooldown"; hours?: number; concurrent: boolean }; exit_on: ({ event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] })[]; goal: { event_type: string; conditions?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; within_days?: unknown; where?: { operator?: "and" | "or"; rules?: ({ field?: string; comparison?: string; value?: unknown })[] }; operator?: "and" | "or"; rules?: unknown })[] }; same?: (string)[] } | null; quiet_hours: { start: string; end: string; timezone?: string } | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    /** List the messages in the built-in mailbox */
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
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { from_email?: string; from_name?: string; reply_to?: string | null; sms_from?: string; sms_senders?: Record<string, string>; sms_stop_words?: (string)[]; sms_help_text?: string | null; quiet_hours?: { start: string; end: string; timezone?: string } | null; frequency_cap?: { messages: number; hours: number } | null; less_often_days?: number; language?: "en" | "de"; max_lateness_hours?: number; track_opens?: boolean; track_clicks?: boolean; attribution_days?: number; max_complaint_rate?: number | null; max_bounce_rate?: number | null; domain_limits?: Record<string, number>; new_contacts_by_events?: "subscribed" | "never"; dkim?: { domain: string; selector: string; private_key: string } | null; bounces?: { ses?: { topic_arn: string } | null; sendgrid?: { public_key: string } | null; mailgun?: { signing_key: string } | null; postmark?: { username: string; password: string } | null } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingSetting'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/sending-domains': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the domains that e-mails are sent from */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { sending_domains: (schemas['SendingDomain'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add a sending domain */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { domain: string; tracking_host?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingDomain'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sending-domains/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a sending domain */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingDomain'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Remove a sending domain with its key */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { domain_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Name the tracking host of a sending domain, plan or end its warm-up */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { warm_up?: { starts_on: string; ends_on: string; messages: number; growth: number } | null; tracking_host?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingDomain'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/sending-domains/warm-up/preview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Preview a warm-up: the number of each day */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { starts_on: string; ends_on: string; messages: number; growth: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { starts_on: string; ends_on: string; messages: number; growth: number; days: ({ day: string; messages: number; handed_over: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sending-domains/check/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Look the records of a sending domain up now */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingDomain'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliverability': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read bounce and complaint rates with their limits */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Deliverability'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/deliverability/resume': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** End the pause of marketing e-mail */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Deliverability'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sending-accounts': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the accounts that messages are sent by */
    get: { parameters: { query?: { page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { sending_accounts: (schemas['SendingAccount'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Add an account at a mail or SMS service */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; rate?: number | null; connections?: number | null; active?: boolean; smtp?: { host?: string; port?: number; username?: string; security?: "tls" | "starttls" | "none"; password?: string }; ses?: { region?: string; access_key?: string; configuration_set?: string | null; api_url?: string | null; secret_access_key?: string }; sendgrid?: { region?: "global" | "eu"; api_url?: string | null; api_key?: string }; postmark?: { message_stream?: string; api_url?: string | null; server_token?: string }; mailgun?: { domain?: string; region?: "us" | "eu"; api_url?: string | null; api_key?: string }; twilio?: { account_sid?: string; api_url?: string | null; auth_token?: string } } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingAccount'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/sending-accounts/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a sending account */
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingAccount'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    /** Remove a sending account with its secret */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { account_id: number; deleted: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Change a sending account */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; rate?: number | null; connections?: number | null; active?: boolean; smtp?: { host?: string; port?: number; username?: string; security?: "tls" | "starttls" | "none"; password?: string }; ses?: { region?: string; access_key?: string; configuration_set?: string | null; api_url?: string | null; secret_access_key?: string }; sendgrid?: { region?: "global" | "eu"; api_url?: string | null; api_key?: string }; postmark?: { message_stream?: string; api_url?: string | null; server_token?: string }; mailgun?: { domain?: string; region?: "us" | "eu"; api_url?: string | null; api_key?: string }; twilio?: { account_sid?: string; api_url?: string | null; auth_token?: string } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['SendingAccount'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/sending-accounts/test/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send one message by an account */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { to: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { account_id: number; sent: boolean; reply: string } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/suppressions': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List suppressions */
    get: { parameters: { query?: { address?: string; channel?: "email" | "sms"; cause?: "unsubscribe" | "bounce" | "complaint" | "manual"; before?: string; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { suppressions: ({ channel: "email" | "sms"; cause: "unsubscribe" | "bounce" | "complaint" | "manual"; hash: string; created_at: string })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; channel?: "email" | "sms"; content?: string; design?: { version?: number; style?: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer" | "columns"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string; columns?: ({ width?: number; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string })[] })[] })[] }; subject?: string | null; preview_text?: string | null } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Template2'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { channel?: "email" | "sms"; content?: string; design?: { version?: number; style?: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer" | "columns"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string; columns?: ({ width?: number; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string })[] })[] })[] }; subject?: string | null; preview_text?: string | null; from?: string | null; contact_id?: number; event_data?: Record<string, unknown> } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Preview'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/templates/variables': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the variables of messages */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { variables: (string)[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
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
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; content?: string; design?: { version?: number; style?: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer" | "columns"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string; columns?: ({ width?: number; blocks: ({ type: "text" | "picture" | "button" | "product" | "product_grid" | "coupon" | "social" | "divider" | "spacer" | "footer"; id?: string; text?: string; style?: "title" | "heading" | "body" | "small"; align?: "left" | "center" | "right"; color?: string; background?: string; url?: string; src?: string; alt?: string; width?: number; height?: number; product?: { name: string; price?: string; picture?: string; url?: string }; products?: ({ name: string; price?: string; picture?: string; url?: string })[]; per_row?: number; source?: "chosen" | "best_sellers" | "bought_together" | "recently_viewed"; category?: string; count?: number; fallback?: "none" | "best_sellers"; code?: string; links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[]; address?: string; unsubscribe?: string })[] })[] })[] } | null; subject?: string | null; preview_text?: string | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Template2'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/templates/test/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a template to addresses of your own */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { recipients: (string)[]; contact_id?: number } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { template_id: number; queued: number } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/brand-kit': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the brand kit */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['BrandKit'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the brand kit */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { logo_url?: string | null; website_url?: string | null; product_url?: string | null; address?: string | null; style?: { font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; heading_font?: "Arial" | "Courier New" | "Georgia" | "Tahoma" | "Times New Roman" | "Trebuchet MS" | "Verdana"; width?: number; background?: string; canvas?: string; text?: string; link?: string; button?: string; button_text?: string }; social_links?: ({ network: "facebook" | "instagram" | "tiktok" | "youtube" | "x" | "linkedin" | "pinterest" | "whatsapp" | "threads" | "website"; url: string })[] } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['BrandKit'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/campaigns': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List campaigns */
    get: { parameters: { query?: { type?: "email" | "sms"; status?: "draft" | "scheduled" | "sending" | "paused" | "sent" | "cancelled" | "failed"; sort?: "newest" | "oldest" | "name_asc" | "name_desc" | "scheduled_asc" | "scheduled_desc"; page?: number; per_page?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaigns: (schemas['Campaign'])[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Create a campaign */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; type: "email" | "sms"; subject?: string | null; preview_text?: string | null; content?: string | null; template_id?: number | null; from?: string | null; list_id?: number | null; segment_id?: number | null; audiences?: ({ list_id?: number; segment_id?: number; unopened_campaign_id?: number })[]; exclude?: ({ list_id?: number; segment_id?: number })[]; variants?: ({ key: string; weight: number; subject?: string; preview_text?: string; content?: string; template_id?: number; from?: string })[]; ab_test?: { share: number; hours: number; metric: "opened" | "clicked" | "converted" | "revenue" } | null; max_lateness_hours?: number | null; holdout_percent?: number; send_in_contact_time_zone?: boolean; batches?: { size?: number; count?: number; minutes: number } | null; scheduled_at?: string | null; timezone?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/calendar': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the campaigns of some days */
    get: { parameters: { query?: { from?: string; to?: string }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { from: string; to: string; time_zone: string; campaigns: ({ campaign_id: number; name: string; type: "email" | "sms"; status: "scheduled" | "sending" | "paused" | "sent" | "failed"; date: string; at: string; recipients: number | null })[]; complete: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
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
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name?: string; subject?: string | null; preview_text?: string | null; content?: string | null; template_id?: number | null; from?: string | null; list_id?: number | null; segment_id?: number | null; audiences?: ({ list_id?: number; segment_id?: number; unopened_campaign_id?: number })[]; exclude?: ({ list_id?: number; segment_id?: number })[]; variants?: ({ key: string; weight: number; subject?: string; preview_text?: string; content?: string; template_id?: number; from?: string })[]; ab_test?: { share: number; hours: number; metric: "opened" | "clicked" | "converted" | "revenue" } | null; max_lateness_hours?: number | null; holdout_percent?: number; send_in_contact_time_zone?: boolean; batches?: { size?: number; count?: number; minutes: number } | null; scheduled_at?: string | null; timezone?: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    /** Resume a paused campaign */
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
  '/campaigns/resend/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Draft a campaign to those who did not open this one */
    post: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: { content: { 'application/json': { subject?: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Campaign'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/campaigns/{id}/check': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Check a campaign before it is sent */
    get: { parameters: { query?: { scheduled_at?: string }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; ready: boolean; recipients: number | null; zones_known: number | null; batches: { count: number; size: number; takes_minutes: number } | null; largest_before: number | null; needs_confirmation: boolean; findings: ({ severity: "error" | "warning"; code: "required" | "unknown_coupon" | "list_deleted" | "segment_deleted" | "template_deleted" | "campaign_deleted" | "wrong_status" | "no_transport" | "no_public_url" | "complaint_rate" | "bounce_rate" | "no_recipients" | "large_audience" | "cannot_render" | "time_past" | "unknown_variable" | "empty_link" | "unusual_link" | "local_link" | "insecure_picture" | "picture_without_text" | "too_large" | "no_unsubscribe" | "few_words" | "many_capitals" | "unverified_sender" | "empty_coupon" | "button_without_link" | "no_postal_address"; field: "status" | "settings" | "list_id" | "segment_id" | "template_id" | "scheduled_at" | "audiences" | "exclude" | "subject" | "preview_text" | "content" | "from"; variants: (string)[]; detail: string | null; suggestion: string | null; message: string })[]; addresses: ({ address: string; kind: "link" | "picture"; unchecked: "personal" | "incomplete" | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/{id}/recipients': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the recipients of a campaign */
    get: { parameters: { query?: { state?: "queued" | "sent" | "failed" | "skipped" | "unknown" | "opened" | "clicked" | "bounced"; page?: number; per_page?: number }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { recipients: ({ message_id: number; contact_id: number | null; recipient: string | null; status: "queued" | "claimed" | "handing_over" | "sent" | "failed" | "skipped" | "unknown"; reason: string | null; variant: string | null; sent_at: string | null })[]; pagination: schemas['Pagination'] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    get: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; counts: { queued: number; sent: number; failed: number; skipped: number; unknown: number; delivered: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number; refunded: number; net: number }; benchmark: { campaigns: number; sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number } | null; winner: string | null; hold_out: { percent: number; window_ends_at: string; messaged: { recipients: number; orders: number; revenue: number; orders_per_recipient: number; revenue_per_recipient: number }; held_out: { recipients: number; orders: number; revenue: number; orders_per_recipient: number; revenue_per_recipient: number }; orders_lift: number | null; revenue_lift: number | null; verdict: "too_small" | "no_difference" | "more_orders" | "fewer_orders" } | null; variants: ({ key: string; counts: { queued: number; sent: number; failed: number; skipped: number; unknown: number; delivered: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number; refunded: number; net: number } })[]; links: ({ url: string; clicks: number })[]; days: ({ date: string; sent: number; opened: number; machine_opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; converted: number; revenue: number; refunded: number; net: number })[]; reasons: ({ status: string; reason: string | null; count: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/campaigns/{id}/link-map': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read a campaign with its clicks written on its links */
    get: { parameters: { query?: { variant?: string }; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { campaign_id: number; variant: string | null; html: string | null; links: ({ url: string; clicks: number; places: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reports/list-growth': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how a list grew */
    get: { parameters: { query?: { from?: string; to?: string; list_id?: number }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { list_id: number | null; from: string; to: string; total: { subscribed: number; unsubscribed: number }; days: ({ date: string; subscribed: number; unsubscribed: number; active: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reports/revenue': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the revenue of flows or campaigns over time */
    get: { parameters: { query?: { by?: "flow" | "campaign"; from?: string; to?: string; interval?: "day" | "week" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { by: "flow" | "campaign"; currency: string; time_zone: string; interval: "day" | "week"; from: string; to: string; total: { orders: number; revenue: number; refunded: number; net: number }; intervals: ({ start: string; orders: number; revenue: number; refunded: number; net: number })[]; sources: ({ id: number | null; name: string | null; orders: number; revenue: number; refunded: number; net: number; intervals: ({ start: string; orders: number; revenue: number; refunded: number; net: number })[] })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/reports/providers': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read deliverability by mailbox provider */
    get: { parameters: { query?: { days?: "7" | "30" | "90" }; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { days: number; total: { sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number }; providers: ({ provider: "gmail" | "outlook" | "yahoo" | "icloud" | "gmx" | "other"; sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/retention-settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read how long data is kept */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['RetentionSetting'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change how long data is kept */
    patch: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { events_months?: number | null; messages_months?: number | null; contact_activity_months?: number | null; flow_runs_months?: number | null; flow_log_days?: number | null; carts_days?: number | null; mailbox_days?: number | null; webhook_deliveries_days?: number | null; requests_days?: number | null } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['RetentionSetting'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
}

export interface accountPaths {
  '/session': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the current session */
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
  '/session/ways': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read which ways there are to sign in */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { mail: boolean } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/confirm': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Confirm the identity of the person */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { password: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/links': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a link to sign in or to choose a new password */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { email: string; purpose?: "sign_in" | "reset_password" } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session2'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
    /** Read the purpose of a link */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { token: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { kind: "owner_setup" | "operator" | "invitation" | "magic" | "set_password" | "reset_password"; email: string | null; company: string | null } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
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
  '/session/passkey/options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Begin to sign in by a passkey */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Option'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/passkey': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Sign in by a passkey */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { credential: { id: string; rawId: string; type: "public-key"; clientExtensionResults: Record<string, unknown>; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string } } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/confirm/passkey/options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Begin to confirm the identity with a passkey */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Option'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/session/confirm/passkey': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Confirm the identity with a passkey */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { credential: { id: string; rawId: string; type: "public-key"; clientExtensionResults: Record<string, unknown>; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string } } } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Session'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/passkeys': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the own passkeys */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': { passkeys: ({ id: number; name: string; created_at: string; last_used_at: string | null })[] } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Keep a passkey that the browser created */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; credential: { id: string; rawId: string; type: "public-key"; clientExtensionResults: Record<string, unknown>; response: { clientDataJSON: string; attestationObject: string; transports?: (string)[] } } } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': schemas['Passkey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/passkeys/options': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Begin to create a passkey */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Option'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/me/passkeys/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Remove a passkey */
    delete: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Passkey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    options?: never;
    head?: never;
    /** Rename a passkey */
    patch: { parameters: { query?: never; header?: never; path: { id: number }; cookie?: never }; requestBody: { content: { 'application/json': { name: string } } }; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Passkey'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    trace?: never;
  };
  '/installation/health': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the last health report of the installation */
    get: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Health'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    put?: never;
    /** Examine the installation */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody?: never; responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': schemas['Health'] } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/companies': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a company */
    post: { parameters: { query?: never; header?: never; path?: never; cookie?: never }; requestBody: { content: { 'application/json': { name: string; country: string; currency: string; time_zone: string } } }; responses: { 201: { headers: Record<string, unknown>; content: { 'application/json': { id: number; name: string; country: string; currency: string; time_zone: string } } }; default: { headers: Record<string, unknown>; content: { 'application/json': unknown } } } };
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
