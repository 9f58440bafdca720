// Made by `npm run client` from the contracts of the running code. Do not edit.

export interface schemas {
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
  'Pagination': { page: number; per_page: number; total: number; total_pages: number };
  'Error': { success: false; error: { message: string; code: number; details: { reason: string; request_id: string; fields?: ({ field: string; code: string; message: string })[] } } };
}

export interface endpoints {
  /** List products. Scope: products:read. */
  'GET /products': { options: { query?: { category?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; archived?: boolean; status?: "draft" | "active" | "archived"; include?: "variants"; sku?: string; barcode?: string; price_min?: number; price_max?: number; collection?: string; [name: `option.${string}`]: string | number | boolean | undefined; [name: `custom.${string}`]: string | number | boolean | undefined; facets?: string; sort?: "newest" | "oldest" | "name_asc" | "name_desc" | "price_asc" | "price_desc" | "stock_asc" | "stock_desc" | "relevance"; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** Create a product. Scope: products:write. */
  'POST /products': { options: { body: { name: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null; status?: "draft" | "active" | "archived"; publish_at?: string | null; options?: ({ name: string; values: (string)[] })[]; variants?: ({ options: ({ name: string; value: string })[]; price: number; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; stock_qty?: number; subscription_enabled?: boolean; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; status?: "draft" | "active" | "archived"; position?: number })[] } }; data: schemas['Product'] };
  /** Change several products. Scope: products:write. */
  'PATCH /products': { options: { body: { products: ({ id: number; name?: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null; status?: "draft" | "active" | "archived"; publish_at?: string | null; archived?: boolean; position?: number })[] } }; data: (schemas['Product'])[] };
  /** Read a product by id or slug. Scope: products:read. */
  'GET /products/{id}': { options: { path: { id: string } }; data: schemas['Product'] };
  /** Change a product. Scope: products:write. */
  'PATCH /products/{id}': { options: { path: { id: string }; body: { name?: string; price?: number; slug?: string; description?: string; stock_qty?: number; subscription_enabled?: boolean; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null; status?: "draft" | "active" | "archived"; publish_at?: string | null; archived?: boolean; position?: number } }; data: schemas['Product'] };
  /** Read a product's stock. Scope: products:read. */
  'GET /products/{id}/inventory': { options: { path: { id: string } }; data: schemas['Inventory'] };
  /** List a product's variants. Scope: products:read. */
  'GET /products/{id}/variants': { options: { path: { id: string }; query?: { archived?: boolean; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** Add variants to a product. Scope: products:write. */
  'POST /products/{id}/variants': { options: { path: { id: string }; body: { variants: ({ options: ({ name: string; value: string })[]; price: number; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; stock_qty?: number; subscription_enabled?: boolean; sku?: string | null; tax_class?: string | null; barcode?: string | null; compare_at_price?: number | null; cost?: number | null; weight_g?: number | null; requires_shipping?: boolean; track_stock?: boolean; low_stock_at?: number | null; custom?: Record<string, unknown>; status?: "draft" | "active" | "archived"; position?: number })[] } }; data: (schemas['Product'])[] };
  /** Add a variant for each missing combination of option values. Scope: products:write. */
  'POST /products/{id}/variants/generate': { options: { path: { id: string }; body: { price: number; stock_qty?: number; custom?: Record<string, unknown>; dry_run?: boolean } }; data: (schemas['Product'])[] };
  /** Set the options of a product. Scope: products:write. */
  'PUT /products/{id}/options': { options: { path: { id: string }; body: { options: ({ name: string; values: (string)[]; new_name?: string; renames?: ({ value: string; new_value: string })[]; default?: string })[]; variant?: ({ name: string; value: string })[] } }; data: schemas['Product'] };
  /** Make products the variants of a new product. Scope: products:write. */
  'POST /products/group': { options: { body: { name: string; slug?: string; description?: string; categories?: (string)[]; images?: ({ url: string; is_primary?: boolean; alt?: string })[]; custom?: Record<string, unknown>; options: ({ name: string; values: (string)[] })[]; variants: ({ product_id: number; options: ({ name: string; value: string })[] })[] } }; data: schemas['Product'] };
  /** Make the variants of a product simple products. Scope: products:write. */
  'POST /products/{id}/ungroup': { options: { path: { id: string } }; data: { id: number; deleted: boolean; product_ids: (number)[] } };
  /** List categories. Scope: products:read. */
  'GET /categories': { options: { query?: { search?: string; page?: number; per_page?: number } }; data: (schemas['Category'])[]; item: schemas['Category'] };
  /** Create a category. Scope: products:write. */
  'POST /categories': { options: { body: { name: string; slug?: string | null; description?: string; position?: number } }; data: schemas['Category'] };
  /** Read a category. Scope: products:read. */
  'GET /categories/{slug}': { options: { path: { slug: string } }; data: schemas['Category'] };
  /** Change a category. Scope: products:write. */
  'PATCH /categories/{slug}': { options: { path: { slug: string }; body: { name?: string; description?: string; position?: number } }; data: schemas['Category'] };
  /** Delete a category. Scope: products:write. */
  'DELETE /categories/{slug}': { options: { path: { slug: string } }; data: schemas['Category'] };
  /** List collections. Scope: products:read. */
  'GET /collections': { options: { query?: { kind?: "manual" | "rules"; page?: number; per_page?: number } }; data: (schemas['Collection'])[]; item: schemas['Collection'] };
  /** Create a collection. Scope: products:write. */
  'POST /collections': { options: { body: { name: string; kind: "manual" | "rules"; rules?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] }; slug?: string; description?: string; image_media_id?: number | null; sort?: "manual" | "newest" | "price_asc" | "price_desc" | "name_asc" | "best_selling"; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null } }; data: schemas['Collection'] };
  /** Read a collection by id or slug. Scope: products:read. */
  'GET /collections/{id}': { options: { path: { id: string } }; data: schemas['Collection'] };
  /** Change a collection. Scope: products:write. */
  'PATCH /collections/{id}': { options: { path: { id: string }; body: { name?: string; rules?: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] }; slug?: string; description?: string; image_media_id?: number | null; sort?: "manual" | "newest" | "price_asc" | "price_desc" | "name_asc" | "best_selling"; custom?: Record<string, unknown>; seo_title?: string | null; seo_description?: string | null } }; data: schemas['Collection'] };
  /** Delete a collection. Scope: products:write. */
  'DELETE /collections/{id}': { options: { path: { id: string } }; data: schemas['Collection'] };
  /** Set the products of a collection. Scope: products:write. */
  'PUT /collections/{id}/products': { options: { path: { id: string }; body: { product_ids: (number)[] } }; data: schemas['Collection'] };
  /** Count the products that rules select. Scope: products:read. */
  'POST /collections/count': { options: { body: { rules: { operator?: "and" | "or"; rules: ({ field?: string; comparison?: string; value?: unknown; operator?: "and" | "or"; rules?: unknown })[] } } }; data: { count: number | null } };
  /** List custom fields. Scope: settings:read. */
  'GET /custom-fields': { options: { query?: { on?: "product" | "variant" | "collection" | "customer" | "order"; page?: number; per_page?: number } }; data: (schemas['CustomField'])[]; item: schemas['CustomField'] };
  /** Create a custom field. Scope: settings:write. */
  'POST /custom-fields': { options: { body: { on: "product" | "variant" | "collection" | "customer" | "order"; key: string; name: string; type: "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "moment" | "choice" | "url" | "color" | "weight" | "length" | "money" | "media" | "product" | "collection"; list?: boolean; required?: boolean; rules?: { min?: number | string; max?: number | string; max_length?: number; choices?: (string)[] }; visible?: "staff" | "store"; filterable?: boolean; position?: number } }; data: schemas['CustomField'] };
  /** Read a custom field. Scope: settings:read. */
  'GET /custom-fields/{id}': { options: { path: { id: number } }; data: schemas['CustomField'] };
  /** Change a custom field. Scope: settings:write. */
  'PATCH /custom-fields/{id}': { options: { path: { id: number }; body: { name?: string; type?: "text" | "long_text" | "integer" | "decimal" | "boolean" | "date" | "moment" | "choice" | "url" | "color" | "weight" | "length" | "money" | "media" | "product" | "collection"; list?: boolean; required?: boolean; rules?: { min?: number | string; max?: number | string; max_length?: number; choices?: (string)[] }; visible?: "staff" | "store"; filterable?: boolean; position?: number } }; data: schemas['CustomField'] };
  /** Delete a custom field. Scope: settings:write. */
  'DELETE /custom-fields/{id}': { options: { path: { id: number } }; data: schemas['CustomField'] };
  /** List products bought together with a product. Scope: products:read. */
  'GET /products/{id}/related': { options: { path: { id: string }; query?: { limit?: number; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** List a product's prices. Scope: products:read. */
  'GET /products/{id}/price-history': { options: { path: { id: string }; query?: { page?: number; per_page?: number } }; data: ({ id: number; old_price: number | null; new_price: number; actor: string; actor_name: string | null; created_at: string })[]; item: { id: number; old_price: number | null; new_price: number; actor: string; actor_name: string | null; created_at: string } };
  /** List what changed a product's stock. Scope: products:read. */
  'GET /products/{id}/stock-movements': { options: { path: { id: string }; query?: { page?: number; per_page?: number } }; data: ({ id: number; product_id: number; location_id: number; kind: "initial" | "adjust" | "order" | "cancel" | "restock" | "reserve" | "release" | "transfer" | "receipt" | "import"; reference_id: number | null; order_id: number | null; delta: number; reason: string | null; actor: string; actor_name: string | null; created_at: string })[]; item: { id: number; product_id: number; location_id: number; kind: "initial" | "adjust" | "order" | "cancel" | "restock" | "reserve" | "release" | "transfer" | "receipt" | "import"; reference_id: number | null; order_id: number | null; delta: number; reason: string | null; actor: string; actor_name: string | null; created_at: string } };
  /** Adjust a product's stock. Scope: products:write. */
  'POST /products/{id}/inventory/adjust': { options: { path: { id: string }; body: { delta: number; reason?: string | null } }; data: schemas['Inventory'] };
  /** List locations. Scope: inventory:read. */
  'GET /locations': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Location'])[]; item: schemas['Location'] };
  /** Create a location. Scope: inventory:write. */
  'POST /locations': { options: { body: { name: string; online?: boolean; position?: number; address?: string | null; city?: string | null; zip?: string | null; state?: string | null; country?: string | null } }; data: schemas['Location'] };
  /** Read a location. Scope: inventory:read. */
  'GET /locations/{id}': { options: { path: { id: number } }; data: schemas['Location'] };
  /** Change, close or reopen a location. Scope: inventory:write. */
  'PATCH /locations/{id}': { options: { path: { id: number }; body: { name?: string; active?: boolean; online?: boolean; position?: number; address?: string | null; city?: string | null; zip?: string | null; state?: string | null; country?: string | null } }; data: schemas['Location'] };
  /** List the stock of products by location. Scope: inventory:read. */
  'GET /inventory': { options: { query?: { location_id?: number; product_id?: number; search?: string; low?: boolean; running_out?: boolean; page?: number; per_page?: number } }; data: ({ product_id: number; name: string; sku: string | null; barcode: string | null; stock_qty: number; in_stock: boolean; reserved: number; low_stock_at: number | null; levels: ({ location_id: number; available: number; reserved: number })[] })[]; item: { product_id: number; name: string; sku: string | null; barcode: string | null; stock_qty: number; in_stock: boolean; reserved: number; low_stock_at: number | null; levels: ({ location_id: number; available: number; reserved: number })[] } };
  /** List the reservations of a product. Scope: inventory:read. */
  'GET /products/{id}/reservations': { options: { path: { id: string }; query?: { page?: number; per_page?: number } }; data: ({ id: number; cart_id: number; location_id: number; qty: number; reserved_until: string })[]; item: { id: number; cart_id: number; location_id: number; qty: number; reserved_until: string } };
  /** List adjustments of stock. Scope: inventory:read. */
  'GET /inventory/adjustments': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Adjustment'])[]; item: schemas['Adjustment'] };
  /** Adjust the stock of several products. Scope: inventory:write. */
  'POST /inventory/adjustments': { options: { body: { reason?: string | null; lines: ({ product_id: number; location_id?: number; delta?: number; set_to?: number })[] } }; data: schemas['Adjustment'] };
  /** List receipts of goods. Scope: inventory:read. */
  'GET /inventory/receipts': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Receipt'])[]; item: schemas['Receipt'] };
  /** Record goods that arrived. Scope: inventory:write. */
  'POST /inventory/receipts': { options: { body: { location_id: number; supplier?: string | null; reference?: string | null; lines: ({ product_id: number; qty: number; unit_cost?: number | null })[] } }; data: schemas['Receipt'] };
  /** Read a receipt of goods. Scope: inventory:read. */
  'GET /inventory/receipts/{id}': { options: { path: { id: number } }; data: schemas['Receipt'] };
  /** List transfers between locations. Scope: inventory:read. */
  'GET /inventory/transfers': { options: { query?: { status?: "draft" | "in_transit" | "received" | "cancelled"; page?: number; per_page?: number } }; data: (schemas['Transfer'])[]; item: schemas['Transfer'] };
  /** Draft a transfer between locations. Scope: inventory:write. */
  'POST /inventory/transfers': { options: { body: { from_location_id: number; to_location_id: number; note?: string | null; lines: ({ product_id: number; qty: number })[] } }; data: schemas['Transfer'] };
  /** Read a transfer. Scope: inventory:read. */
  'GET /inventory/transfers/{id}': { options: { path: { id: number } }; data: schemas['Transfer'] };
  /** Change a draft of a transfer. Scope: inventory:write. */
  'PATCH /inventory/transfers/{id}': { options: { path: { id: number }; body: { from_location_id?: number; to_location_id?: number; note?: string | null; lines?: ({ product_id: number; qty: number })[] } }; data: schemas['Transfer'] };
  /** Send a transfer. Scope: inventory:write. */
  'POST /inventory/transfers/{id}/send': { options: { path: { id: number } }; data: schemas['Transfer'] };
  /** Receive goods of a transfer. Scope: inventory:write. */
  'POST /inventory/transfers/{id}/receive': { options: { path: { id: number }; body: { lines?: ({ product_id: number; qty: number })[]; complete?: boolean } }; data: schemas['Transfer'] };
  /** Cancel a transfer. Scope: inventory:write. */
  'POST /inventory/transfers/{id}/cancel': { options: { path: { id: number } }; data: schemas['Transfer'] };
  /** List customers. Scope: customers:read. */
  'GET /customers': { options: { query?: { search?: string; email?: string; tag?: string; sort?: "newest" | "oldest" | "spent_asc" | "spent_desc" | "last_order_asc" | "last_order_desc"; page?: number; per_page?: number } }; data: (schemas['Customer'])[]; item: schemas['Customer'] };
  /** Create a customer. Scope: customers:write. */
  'POST /customers': { options: { body: { email: string; password?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; accepts_marketing?: boolean; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; metadata?: Record<string, unknown>; custom?: Record<string, unknown> } }; data: schemas['Customer'] };
  /** Read a customer. Scope: customers:read. */
  'GET /customers/{id}': { options: { path: { id: number } }; data: schemas['Customer'] };
  /** Change a customer. Scope: customers:write. */
  'PATCH /customers/{id}': { options: { path: { id: number }; body: { email?: string; first_name?: string | null; last_name?: string | null; phone?: string | null; accepts_marketing?: boolean; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; metadata?: Record<string, unknown>; custom?: Record<string, unknown> } }; data: schemas['Customer'] };
  /** Erase a customer. Scope: customers:write. */
  'DELETE /customers/{id}': { options: { path: { id: number } }; data: schemas['Customer2'] };
  /** Read what a customer has spent. Scope: orders:read. */
  'GET /customers/{id}/figures': { options: { path: { id: number } }; data: { customer_id: number; currency: string; spent: number; refunded: number; net: number; last_order_at: string | null } };
  /** Merge another customer into a customer. Scope: customers:write. */
  'POST /customers/{id}/merge': { options: { path: { id: number }; body: { from: number } }; data: schemas['Customer'] };
  /** Everything that is stored about a customer. Scope: customers:read. */
  'GET /customers/{id}/export': { options: { path: { id: number } }; data: { customer: { id: number; revision: number; email: string; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; account: "none" | "invited" | "active" | "closed"; email_verified: boolean; metadata: Record<string, unknown>; custom: Record<string, unknown>; created_at: string; updated_at: string }; orders: (Record<string, unknown>)[]; order_ledger: (Record<string, unknown>)[]; refunds: (Record<string, unknown>)[]; saved_payment_methods: (Record<string, unknown>)[]; subscriptions: (Record<string, unknown>)[]; carts: (Record<string, unknown>)[]; loyalty_ledger: (Record<string, unknown>)[]; addresses: (Record<string, unknown>)[]; sessions: (Record<string, unknown>)[]; passkeys: (Record<string, unknown>)[]; notes: (Record<string, unknown>)[]; contact: Record<string, unknown> | null; consents: (Record<string, unknown>)[]; memberships: (Record<string, unknown>)[]; events: (Record<string, unknown>)[]; messages: (Record<string, unknown>)[]; activity: (Record<string, unknown>)[]; flow_runs: (Record<string, unknown>)[]; notifications: (Record<string, unknown>)[]; mails: (Record<string, unknown>)[]; form_submissions: (Record<string, unknown>)[]; omitted: (string)[] } };
  /** Set a customer's password. Scope: customers:write. */
  'POST /customers/{id}/password': { options: { path: { id: number }; body: { password: string } }; data: schemas['Customer'] };
  /** Check a customer's password. Scope: customers:write. */
  'POST /customers/{id}/verify-password': { options: { path: { id: number }; body: { password: string } }; data: { customer_id: number; valid: boolean } };
  /** Read how a customer can sign in. Scope: customers:read. */
  'GET /customers/{id}/account': { options: { path: { id: number } }; data: { account: "none" | "invited" | "active" | "closed"; email_verified: boolean; has_password: boolean; passkeys: number; sessions: number; last_seen_at: string | null } };
  /** Invite a customer to open an account. Scope: customers:write. */
  'POST /customers/{id}/invite': { options: { path: { id: number }; body?: {  } }; data: schemas['Customer'] };
  /** Close a customer's account. Scope: customers:write. */
  'POST /customers/{id}/close-account': { options: { path: { id: number }; body?: {  } }; data: schemas['Customer'] };
  /** Sign a customer out everywhere. Scope: customers:write. */
  'POST /customers/{id}/end-sessions': { options: { path: { id: number }; body?: {  } }; data: schemas['Customer'] };
  /** Read a customer's points. Scope: customers:read. */
  'GET /customers/{id}/loyalty': { options: { path: { id: number } }; data: schemas['Loyalty'] };
  /** List what changed a customer's points. Scope: customers:read. */
  'GET /customers/{id}/loyalty/ledger': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: ({ id: number; type: "earn" | "redeem" | "reverse_earn" | "restore" | "adjust"; points: number; order_id: number | null; reason: string | null; actor: string; created_at: string })[]; item: { id: number; type: "earn" | "redeem" | "reverse_earn" | "restore" | "adjust"; points: number; order_id: number | null; reason: string | null; actor: string; created_at: string } };
  /** Give or take points by hand. Scope: customers:write. */
  'POST /customers/{id}/loyalty/adjust': { options: { path: { id: number }; body: { points: number; reason?: string | null } }; data: schemas['Loyalty'] };
  /** Read the loyalty program. Scope: loyalty:read. */
  'GET /loyalty/settings': { options: {  }; data: schemas['Setting'] };
  /** Change the loyalty program. Scope: settings:write. */
  'PATCH /loyalty/settings': { options: { body: { points_per_dollar?: number; point_value?: number; min_redeem_points?: number; enabled?: boolean; earn_on?: "placed" | "delivered" } }; data: schemas['Setting'] };
  /** List orders. Scope: orders:read. */
  'GET /orders': { options: { query?: { customer_id?: number; status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; to_fulfill?: boolean; date_from?: string; date_to?: string; time_zone?: string; is_subscription?: boolean; payment_status?: "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; balance?: "due" | "credit"; search?: string; sort?: "newest" | "oldest" | "relevance"; page?: number; per_page?: number } }; data: (schemas['Order'])[]; item: schemas['Order'] };
  /** Place an order. Scope: orders:write. */
  'POST /orders': { options: { body: { customer_id: number; items: ({ product_id: number; qty: number })[]; shipping_address: string; shipping_city: string; shipping_state?: string; shipping_zip: string; shipping_country?: string; promo_code?: string | null; redeem_points?: number; shipping_method_id?: number | null; location_id?: number | null; external_id?: string | null; metadata?: Record<string, unknown>; custom?: Record<string, unknown>; accepts_marketing?: boolean; payments?: ({ method_id: number; amount: number; reference?: string | null; received_on?: string | null })[] } }; data: schemas['Order'] };
  /** Calculate what an order would cost. Scope: orders:read. */
  'POST /orders/calculate': { options: { body: { customer_id?: number; items: ({ product_id: number; qty: number })[]; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string; promo_code?: string | null; redeem_points?: number; shipping_method_id?: number | null; location_id?: number | null } }; data: { currency: string; items: ({ product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number })[]; subtotal: number; discount: number; promo_discount: number; points_discount: number; points_redeemed: number; points_earned: number; shipping: number; shipping_country: string; shipping_method: { id: number; name: string } | null; shipping_methods: ({ id: number; name: string; cost: number })[]; tax: number; tax_lines: ({ name: string; rate: number; amount: number })[]; total: number } };
  /** List a customer's orders. Scope: customers:read. */
  'GET /customers/{id}/orders': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: (schemas['Order'])[]; item: schemas['Order'] };
  /** Read an order. Scope: orders:read. */
  'GET /orders/{id}': { options: { path: { id: number } }; data: schemas['Order'] };
  /** Read what happened to an order. Scope: orders:read. */
  'GET /orders/{id}/history': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: ({ id: number; type: string; from: string | null; to: string | null; actor: string; message: string | null; created_at: string })[]; item: { id: number; type: string; from: string | null; to: string | null; actor: string; message: string | null; created_at: string } };
  /** Move an order on, or note its tracking number or custom values. Scope: orders:write. */
  'PATCH /orders/{id}/status': { options: { path: { id: number }; body: { status?: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; tracking_number?: string | null; carrier?: string | null; custom?: Record<string, unknown> } }; data: schemas['Order'] };
  /** Try a promo code on a basket. Scope: orders:read. */
  'POST /promo-codes/validate': { options: { body: { customer_id: number; items: ({ product_id: number; qty: number })[]; shipping_address: string; shipping_city: string; shipping_state?: string; shipping_zip: string; shipping_country?: string; promo_code: string; redeem_points?: number; shipping_method_id?: number | null; location_id?: number | null } }; data: { promo_code: string; valid: boolean; discount: number; free_shipping: boolean; subtotal: number; shipping: number; tax: number; total: number } };
  /** List carts. Scope: carts:read. */
  'GET /carts': { options: { query?: { status?: "open" | "paying" | "placed" | "expired" | "merged" | "cancelled"; origin?: "store" | "api" | "staff" | "subscription"; customer_id?: number; email?: string; abandoned?: boolean; page?: number; per_page?: number } }; data: (schemas['Cart'])[]; item: schemas['Cart'] };
  /** Create a cart. Scope: carts:write. */
  'POST /carts': { options: { body?: { lines?: ({ product_id: number; qty: number; price_override?: number | null; override_reason?: string | null })[]; customer_id?: number | null; email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; promo_code?: string | null; redeem_points?: number; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; shipping_method_id?: number | null; location_id?: number | null; billing?: { first_name?: string | null; last_name?: string | null; company?: string | null; address: string; city: string; state?: string | null; zip: string; country?: string | null } | null; accepts_marketing?: boolean | null; custom?: Record<string, unknown>; metadata?: Record<string, unknown>; note?: string | null } }; data: schemas['Cart'] };
  /** Read a cart. Scope: carts:read. */
  'GET /carts/{id}': { options: { path: { id: number } }; data: schemas['Cart'] };
  /** Change a cart. Scope: carts:write. */
  'PATCH /carts/{id}': { options: { path: { id: number }; body: { customer_id?: number | null; email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; promo_code?: string | null; redeem_points?: number; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; shipping_method_id?: number | null; location_id?: number | null; billing?: { first_name?: string | null; last_name?: string | null; company?: string | null; address: string; city: string; state?: string | null; zip: string; country?: string | null } | null; accepts_marketing?: boolean | null; custom?: Record<string, unknown>; metadata?: Record<string, unknown>; note?: string | null } }; data: schemas['Cart'] };
  /** Cancel a cart. Scope: carts:write. */
  'DELETE /carts/{id}': { options: { path: { id: number } }; data: schemas['Cart'] };
  /** Add products to a cart. Scope: carts:write. */
  'POST /carts/{id}/lines': { options: { path: { id: number }; body: { lines: ({ product_id: number; qty: number; price_override?: number | null; override_reason?: string | null })[] } }; data: schemas['Cart'] };
  /** Change a line of a cart. Scope: carts:write. */
  'PATCH /carts/{id}/lines/{line_id}': { options: { path: { id: number; line_id: number }; body: { qty?: number; price_override?: number | null; override_reason?: string | null } }; data: schemas['Cart'] };
  /** Remove a line from a cart. Scope: carts:write. */
  'DELETE /carts/{id}/lines/{line_id}': { options: { path: { id: number; line_id: number } }; data: schemas['Cart'] };
  /** Pay a cart. Scope: carts:write. */
  'POST /carts/{id}/pay': { options: { path: { id: number }; body?: { method_id?: number | null; saved_method_id?: number | null; expected_total?: number; return_url?: string } }; data: schemas['Pay'] };
  /** Read the state of a payment. Scope: carts:write. */
  'POST /carts/{id}/confirm': { options: { path: { id: number } }; data: schemas['Pay'] };
  /** Cancel the payment of a cart. Scope: carts:write. */
  'POST /carts/{id}/reopen': { options: { path: { id: number } }; data: schemas['Pay'] };
  /** Place a cart as an order. Scope: carts:write. */
  'POST /carts/{id}/place': { options: { path: { id: number }; body?: { payments?: ({ method_id: number; amount: number; reference?: string | null; received_on?: string | null })[] } }; data: schemas['Order'] };
  /** Make a link to pay a cart. Scope: carts:write. */
  'POST /carts/{id}/pay-link': { options: { path: { id: number }; body?: { send?: boolean } }; data: schemas['PayLink'] };
  /** List the notes about a customer. Scope: customers:read. */
  'GET /customers/{id}/notes': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: (schemas['Note'])[]; item: schemas['Note'] };
  /** Write a note about a customer. Scope: customers:write. */
  'POST /customers/{id}/notes': { options: { path: { id: number }; body: { text: string } }; data: schemas['Note'] };
  /** Delete a note about a customer. Scope: customers:write. */
  'DELETE /customer-notes/{id}': { options: { path: { id: number } }; data: schemas['Note'] };
  /** List the notes about an order. Scope: orders:read. */
  'GET /orders/{id}/notes': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: (schemas['Note'])[]; item: schemas['Note'] };
  /** Write a note about an order. Scope: orders:write. */
  'POST /orders/{id}/notes': { options: { path: { id: number }; body: { text: string } }; data: schemas['Note'] };
  /** Delete a note about an order. Scope: orders:write. */
  'DELETE /order-notes/{id}': { options: { path: { id: number } }; data: schemas['Note'] };
  /** List the frequencies that subscriptions can have. Scope: subscriptions:read. */
  'GET /subscription-frequencies': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['SubscriptionFrequency'])[]; item: schemas['SubscriptionFrequency'] };
  /** Create a frequency. Scope: settings:write. */
  'POST /subscription-frequencies': { options: { body: { name: string; unit: "day" | "week" | "month" | "year"; interval: number; active?: boolean; position?: number } }; data: schemas['SubscriptionFrequency'] };
  /** Read a frequency. Scope: subscriptions:read. */
  'GET /subscription-frequencies/{id}': { options: { path: { id: number } }; data: schemas['SubscriptionFrequency'] };
  /** Rename, move or switch off a frequency. Scope: settings:write. */
  'PATCH /subscription-frequencies/{id}': { options: { path: { id: number }; body: { name?: string; active?: boolean; position?: number } }; data: schemas['SubscriptionFrequency'] };
  /** Delete a frequency. Scope: settings:write. */
  'DELETE /subscription-frequencies/{id}': { options: { path: { id: number } }; data: schemas['SubscriptionFrequency'] };
  /** List subscriptions. Scope: subscriptions:read. */
  'GET /subscriptions': { options: { query?: { customer_id?: number; status?: "active" | "paused" | "past_due" | "cancelled" | "expired"; renews_on?: string; sort?: "newest" | "oldest" | "next_renewal_asc" | "next_renewal_desc"; page?: number; per_page?: number } }; data: (schemas['Subscription'])[]; item: schemas['Subscription'] };
  /** Start a subscription. Scope: subscriptions:write. */
  'POST /subscriptions': { options: { body: { customer_id: number; product_id: number; frequency_id: number; quantity?: number; start_date?: string; saved_method_id?: number | null; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string } }; data: schemas['Subscription'] };
  /** Read the delivery calendar. Scope: subscriptions:read. */
  'GET /subscriptions/calendar': { options: { query?: { from?: string; to?: string } }; data: { from: string; to: string; currency: string; days: ({ date: string; renewals: number; quantity: number; subtotal: number })[]; overdue: { renewals: number; subtotal: number }; complete: boolean } };
  /** Read a subscription. Scope: subscriptions:read. */
  'GET /subscriptions/{id}': { options: { path: { id: number } }; data: schemas['Subscription'] };
  /** Change product, quantity, frequency, next date, address or payment method. Scope: subscriptions:write. */
  'PATCH /subscriptions/{id}': { options: { path: { id: number }; body: { product_id?: number; quantity?: number; frequency_id?: number; next_billing_date?: string; saved_method_id?: number | null; shipping_address?: string; shipping_city?: string; shipping_state?: string; shipping_zip?: string; shipping_country?: string } }; data: schemas['Subscription'] };
  /** Preview the next order. Scope: subscriptions:read. */
  'GET /subscriptions/{id}/upcoming': { options: { path: { id: number } }; data: { subscription_id: number; customer_id: number; scheduled_date: string; frequency_id: number; frequency_name: string; items: ({ product_id: number; product_name: string; qty: number; price: number; subtotal: number })[]; subtotal: number; discount: number; tax: number; shipping: number; total: number; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; in_stock: boolean; warnings: (string)[]; following_dates: (string)[] } };
  /** List a subscription's orders. Scope: subscriptions:read. */
  'GET /subscriptions/{id}/orders': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: (schemas['Order'])[]; item: schemas['Order'] };
  /** Read what happened to a subscription. Scope: subscriptions:read. */
  'GET /subscriptions/{id}/history': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: ({ id: number; type: string; actor: string; actor_name: string | null; message: string | null; created_at: string })[]; item: { id: number; type: string; actor: string; actor_name: string | null; message: string | null; created_at: string } };
  /** Cancel a subscription at once. Scope: subscriptions:write. */
  'POST /subscriptions/{id}/cancel': { options: { path: { id: number }; body?: { reason?: string | null } }; data: schemas['Subscription'] };
  /** Pause a subscription, until a date or until it is resumed. Scope: subscriptions:write. */
  'POST /subscriptions/{id}/pause': { options: { path: { id: number }; body?: { resume_on?: string | null } }; data: schemas['Subscription'] };
  /** Resume a paused subscription. Scope: subscriptions:write. */
  'POST /subscriptions/{id}/resume': { options: { path: { id: number }; body?: {  } }; data: schemas['Subscription'] };
  /** Skip the next date. Scope: subscriptions:write. */
  'POST /subscriptions/{id}/skip': { options: { path: { id: number }; body?: {  } }; data: schemas['Subscription'] };
  /** List promo codes. Scope: settings:read. */
  'GET /promo-codes': { options: { query?: { code?: string; active?: boolean; is_template?: boolean; sort?: "newest" | "oldest" | "code_asc" | "code_desc" | "ends_asc" | "ends_desc" | "used_asc" | "used_desc"; page?: number; per_page?: number } }; data: (schemas['PromoCode'])[]; item: schemas['PromoCode'] };
  /** Create a promo code. Scope: settings:write. */
  'POST /promo-codes': { options: { body: { code: string; type: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value?: unknown; scope?: "order" | "products" | "categories" | "collections"; product_ids?: (number)[]; category_slugs?: (string)[]; collection_ids?: (number)[]; min_subtotal?: number | null; max_discount?: number | null; starts_at?: string | null; ends_at?: string | null; usage_limit?: number | null; per_customer_limit?: number | null; first_order_only?: boolean; active?: boolean; is_template?: boolean; valid_days?: number | null } }; data: schemas['PromoCode'] };
  /** Read a promo code. Scope: settings:read. */
  'GET /promo-codes/{id}': { options: { path: { id: number } }; data: schemas['PromoCode'] };
  /** Change a promo code. Scope: settings:write. */
  'PATCH /promo-codes/{id}': { options: { path: { id: number }; body: { code?: string; type?: "percent" | "fixed" | "free_shipping" | "buy_x_get_y"; value?: unknown; scope?: "order" | "products" | "categories" | "collections"; product_ids?: (number)[]; category_slugs?: (string)[]; collection_ids?: (number)[]; min_subtotal?: number | null; max_discount?: number | null; starts_at?: string | null; ends_at?: string | null; usage_limit?: number | null; per_customer_limit?: number | null; first_order_only?: boolean; active?: boolean; is_template?: boolean; valid_days?: number | null } }; data: schemas['PromoCode'] };
  /** Delete a promo code. Scope: settings:write. */
  'DELETE /promo-codes/{id}': { options: { path: { id: number } }; data: schemas['PromoCode'] };
  /** List the coupons of a template. Scope: settings:read. */
  'GET /promo-codes/{id}/coupons': { options: { path: { id: number }; query?: { used?: boolean; page?: number; per_page?: number } }; data: ({ id: number; code: string; ends_at: string | null; used: boolean; created_at: string })[]; item: { id: number; code: string; ends_at: string | null; used: boolean; created_at: string } };
  /** Create coupons of a template. Scope: settings:write. */
  'POST /promo-codes/{id}/coupons': { options: { path: { id: number }; body: { count: number } }; data: { template_id: number; codes: (string)[] } };
  /** Read the shop's settings. Scope: settings:read. */
  'GET /settings': { options: {  }; data: schemas['Setting2'] };
  /** Change the shop's settings. Scope: settings:write. */
  'PATCH /settings': { options: { body: { name?: string; currency?: string; time_zone?: string; country?: string; tax_rounding?: "line" | "order"; prices_include_tax?: boolean; address?: string | null; tax_number?: string | null } }; data: schemas['Setting2'] };
  /** Read the checkout settings. Scope: settings:read. */
  'GET /checkout-settings': { options: {  }; data: schemas['CheckoutSetting'] };
  /** Change the checkout settings. Scope: settings:write. */
  'PATCH /checkout-settings': { options: { body: { store_url?: string | null; show_stock?: "few" | "exact" | "none"; cart_merge?: "larger" | "add"; abandoned_after_minutes?: number; refund_on_cancel?: boolean; wrong_amount?: "refund" | "hold"; retry_days?: (number)[]; after_retries?: "pause" | "skip" | "cancel" } }; data: schemas['CheckoutSetting'] };
  /** List shipping zones. Scope: settings:read. */
  'GET /shipping-zones': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['ShippingZone'])[]; item: schemas['ShippingZone'] };
  /** Create a shipping zone. Scope: settings:write. */
  'POST /shipping-zones': { options: { body: { name: string; position?: number; countries?: (string)[]; states?: (string)[]; zip_patterns?: (string)[] } }; data: schemas['ShippingZone'] };
  /** Read a shipping zone. Scope: settings:read. */
  'GET /shipping-zones/{id}': { options: { path: { id: number } }; data: schemas['ShippingZone'] };
  /** Change a shipping zone. Scope: settings:write. */
  'PATCH /shipping-zones/{id}': { options: { path: { id: number }; body: { name?: string; position?: number; countries?: (string)[]; states?: (string)[]; zip_patterns?: (string)[] } }; data: schemas['ShippingZone'] };
  /** Delete a shipping zone with its methods. Scope: settings:write. */
  'DELETE /shipping-zones/{id}': { options: { path: { id: number } }; data: schemas['ShippingZone'] };
  /** List shipping methods. Scope: settings:read. */
  'GET /shipping-methods': { options: { query?: { zone_id?: number; page?: number; per_page?: number } }; data: (schemas['ShippingMethod'])[]; item: schemas['ShippingMethod'] };
  /** Create a shipping method. Scope: settings:write. */
  'POST /shipping-methods': { options: { body: { zone_id: number; name: string; type: "flat" | "by_subtotal" | "free_over"; position?: number; cost?: number | null; free_over?: number | null; brackets?: ({ from: number; cost: number })[] | null; active?: boolean } }; data: schemas['ShippingMethod'] };
  /** Read a shipping method. Scope: settings:read. */
  'GET /shipping-methods/{id}': { options: { path: { id: number } }; data: schemas['ShippingMethod'] };
  /** Change a shipping method. Scope: settings:write. */
  'PATCH /shipping-methods/{id}': { options: { path: { id: number }; body: { zone_id?: number; name?: string; type?: "flat" | "by_subtotal" | "free_over"; position?: number; cost?: number | null; free_over?: number | null; brackets?: ({ from: number; cost: number })[] | null; active?: boolean } }; data: schemas['ShippingMethod'] };
  /** Delete a shipping method. Scope: settings:write. */
  'DELETE /shipping-methods/{id}': { options: { path: { id: number } }; data: schemas['ShippingMethod'] };
  /** List payment methods. Scope: settings:read. */
  'GET /payment-methods': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['PaymentMethod'])[]; item: schemas['PaymentMethod'] };
  /** Create a payment method. Scope: settings:write. */
  'POST /payment-methods': { options: { body: { provider?: "manual" | "stripe" | "mollie"; kind: string; name: string; places?: "at_once" | "when_paid"; account_id?: number | null; description?: string | null; instructions?: string | null; position?: number; active?: boolean; staff_only?: boolean; reserve_minutes?: number; capture?: "at_once" | "on_shipped" | "by_hand"; min_total?: number | null; max_total?: number | null } }; data: schemas['PaymentMethod'] };
  /** Read a payment method. Scope: settings:read. */
  'GET /payment-methods/{id}': { options: { path: { id: number } }; data: schemas['PaymentMethod'] };
  /** Change a payment method. Scope: settings:write. */
  'PATCH /payment-methods/{id}': { options: { path: { id: number }; body: { kind?: string; name?: string; places?: "at_once" | "when_paid"; account_id?: number | null; description?: string | null; instructions?: string | null; position?: number; active?: boolean; staff_only?: boolean; reserve_minutes?: number; capture?: "at_once" | "on_shipped" | "by_hand"; min_total?: number | null; max_total?: number | null } }; data: schemas['PaymentMethod'] };
  /** List payments. Scope: payments:read. */
  'GET /payments': { options: { query?: { status?: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; order_id?: number; due_before?: string; provider?: "manual" | "stripe" | "mollie"; attention?: "wrong_amount" | "dispute" | "capture_declined" | "uncertain" | "any"; ends_before?: string; page?: number; per_page?: number } }; data: (schemas['Payment'])[]; item: schemas['Payment'] };
  /** Read a payment. Scope: payments:read. */
  'GET /payments/{id}': { options: { path: { id: number } }; data: schemas['Payment2'] };
  /** Cancel a payment. Scope: payments:write. */
  'POST /payments/{id}/cancel': { options: { path: { id: number } }; data: schemas['Payment2'] };
  /** Capture an authorized payment. Scope: payments:write. */
  'POST /payments/{id}/capture': { options: { path: { id: number }; body?: { amount?: number } }; data: schemas['Payment2'] };
  /** List the payments of an order. Scope: payments:read. */
  'GET /orders/{id}/payments': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: (schemas['Payment'])[]; item: schemas['Payment'] };
  /** Record money received for an order. Scope: payments:write. */
  'POST /orders/{id}/payments': { options: { path: { id: number }; body: { method_id: number; amount: number; reference?: string | null; received_on?: string | null } }; data: schemas['Payment'] };
  /** Read the ledger of an order. Scope: payments:read. */
  'GET /orders/{id}/ledger': { options: { path: { id: number } }; data: { charged: number; paid: number; refunded: number; balance: number | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; entries: ({ id: number; side: "charge" | "payment"; kind: "order" | "credit" | "cancel" | "manual" | "capture" | "refund" | "refund_reversed" | "chargeback" | "chargeback_reversed"; amount: number; payment_id: number | null; refund_id: number | null; reference: string | null; received_on: string | null; actor: string; created_at: string })[] } };
  /** Make a link to pay an order. Scope: payments:write. */
  'POST /orders/{id}/pay-link': { options: { path: { id: number }; body?: { send?: boolean } }; data: schemas['PayLink'] };
  /** List the refunds of an order. Scope: payments:read. */
  'GET /orders/{id}/refunds': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: (schemas['Refund'])[]; item: schemas['Refund'] };
  /** Refund an order, in whole or in part. Scope: payments:write. */
  'POST /orders/{id}/refunds': { options: { path: { id: number }; body: { lines?: ({ line_id: number; qty: number; restock?: boolean })[]; shipping?: number; amount?: number; to?: "original" | "manual"; reason?: string | null } }; data: schemas['Refund'] };
  /** List a customer's saved payment methods. Scope: customers:read. */
  'GET /customers/{id}/saved-payment-methods': { options: { path: { id: number }; query?: { page?: number; per_page?: number } }; data: ({ id: number; provider: "stripe" | "mollie"; label: string; brand: string | null; last4: string | null; expires_on: string | null; created_at: string })[]; item: { id: number; provider: "stripe" | "mollie"; label: string; brand: string | null; last4: string | null; expires_on: string | null; created_at: string } };
  /** Remove a customer's saved payment method. Scope: customers:write. */
  'DELETE /customers/{id}/saved-payment-methods/{method_id}': { options: { path: { id: number; method_id: number } }; data: schemas['Customer2'] };
  /** List tax rules. Scope: settings:read. */
  'GET /tax-rules': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['TaxRule'])[]; item: schemas['TaxRule'] };
  /** Create a tax rule. Scope: settings:write. */
  'POST /tax-rules': { options: { body: { name: string; country: string; rate: number; state?: string | null; zip_from?: string | null; zip_to?: string | null; priority?: number; compound?: boolean; applies_to_shipping?: boolean; tax_class?: string | null } }; data: schemas['TaxRule'] };
  /** Read a tax rule. Scope: settings:read. */
  'GET /tax-rules/{id}': { options: { path: { id: number } }; data: schemas['TaxRule'] };
  /** Change a tax rule. Scope: settings:write. */
  'PATCH /tax-rules/{id}': { options: { path: { id: number }; body: { name?: string; country?: string; rate?: number; state?: string | null; zip_from?: string | null; zip_to?: string | null; priority?: number; compound?: boolean; applies_to_shipping?: boolean; tax_class?: string | null } }; data: schemas['TaxRule'] };
  /** Delete a tax rule. Scope: settings:write. */
  'DELETE /tax-rules/{id}': { options: { path: { id: number } }; data: schemas['TaxRule'] };
  /** List the media library. Scope: products:read. */
  'GET /media': { options: { query?: { kind?: "picture" | "file" | "link"; search?: string; unused?: boolean; page?: number; per_page?: number } }; data: (schemas['Media'])[]; item: schemas['Media'] };
  /** Add to the media library. Scope: products:write. */
  'POST /media': { options: { query?: { title?: string }; body: { kind: "link"; url: string; title?: string } }; data: schemas['Media'] };
  /** Read a picture, file or link. Scope: products:read. */
  'GET /media/{id}': { options: { path: { id: number } }; data: schemas['Media'] };
  /** Change title, alternative text, tags or focal point. Scope: products:write. */
  'PATCH /media/{id}': { options: { path: { id: number }; body: { alt?: string; title?: string; tags?: (string)[]; focal_point?: { x: number; y: number } | null } }; data: schemas['Media'] };
  /** Delete from the media library. Scope: products:write. */
  'DELETE /media/{id}': { options: { path: { id: number }; query?: { force?: boolean } }; data: schemas['Media'] };
  /** List import formats. Scope: settings:read. */
  'GET /import-formats': { options: {  }; data: { formats: ({ name: string; title: string; kind: "contacts" | "customers" | "products" | "orders"; fields: (string)[]; columns: ({ column: string; field: string })[] })[] } };
  /** List imports. Scope: settings:read. */
  'GET /imports': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Import'])[]; item: schemas['Import'] };
  /** Begin an import. Scope: settings:write. */
  'POST /imports': { options: { body: { format: "shopify-products" | "shopify-customers" | "shopify-orders" | "woocommerce-products" | "woocommerce-customers" | "woocommerce-orders" | "medusa-products" | "vendure-products" | "mailchimp" | "klaviyo" | "csv-contacts" | "csv-customers" | "csv-products" | "csv-orders"; file_name: string } }; data: schemas['Import'] };
  /** Get an import. Scope: settings:read. */
  'GET /imports/{id}': { options: { path: { id: number } }; data: schemas['Import'] };
  /** Upload a chunk of the file. Scope: settings:write. */
  'POST /imports/{id}/chunks': { options: { path: { id: number }; body: { n: number; data: string } }; data: schemas['Import'] };
  /** Preview an import. Scope: settings:read. */
  'GET /imports/{id}/preview': { options: { path: { id: number }; query?: { encoding?: "utf-8" | "windows-1252" | "utf-16le" } }; data: { header: (string)[]; mapping: (string | null)[]; custom_fields: ({ field: string; name: string })[]; sample: ((string)[])[]; needs_consent: boolean } };
  /** Check an import. Scope: settings:write. */
  'POST /imports/{id}/check': { options: { path: { id: number }; body?: { mapping?: (string | null)[]; email_consent?: "subscribed" | "unsubscribed" | "never"; sms_consent?: "subscribed" | "unsubscribed" | "never"; list_id?: number; tags?: (string)[]; untracked_stock?: number; only_new?: boolean; variants?: "grouped" | "separate"; date_order?: "day_first" | "month_first"; decimal_separator?: "point" | "comma"; time_zone?: string; encoding?: "utf-8" | "windows-1252" | "utf-16le" } }; data: schemas['Import'] };
  /** Run a checked import. Scope: settings:write. */
  'POST /imports/{id}/run': { options: { path: { id: number }; body?: {  } }; data: schemas['Import'] };
  /** Cancel an import. Scope: settings:write. */
  'POST /imports/{id}/cancel': { options: { path: { id: number }; body?: {  } }; data: schemas['Import'] };
  /** Undo an import. Scope: settings:write. */
  'POST /imports/{id}/undo': { options: { path: { id: number }; body?: {  } }; data: schemas['Import'] };
  /** List refused rows. Scope: settings:read. */
  'GET /imports/{id}/findings': { options: { path: { id: number }; query?: { phase?: "check" | "run" | "undo"; after?: number; per_page?: number } }; data: { findings: ({ phase: "check" | "run" | "undo"; row: number; column: string | null; field: string | null; reason: string; cells: (string)[] | null })[]; next: number | null } };
}
