// Made by `npm run client` from the contracts of the running code. Do not edit.

export interface schemas {
  'Product': { id: number; name: string; slug: string; price: number; compare_at_price: number | null; price_max: number | null; in_stock: boolean | null; stock_qty: number | null; few_left: number | null; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean; alt?: string })[]; sku: string | null; barcode: string | null; weight_g: number | null; requires_shipping: boolean | null; has_variants: boolean; options: ({ name: string; value?: string; values?: (string)[] })[]; variant_of: number | null; title: string | null; position: number | null; custom: Record<string, unknown>; created_at: string; updated_at: string; description: string; variants?: ({ id: number; name: string; slug: string; price: number; compare_at_price: number | null; price_max: number | null; in_stock: boolean | null; stock_qty: number | null; few_left: number | null; subscription_enabled: boolean; categories: (string)[]; images: ({ url: string; is_primary: boolean; alt?: string })[]; sku: string | null; barcode: string | null; weight_g: number | null; requires_shipping: boolean | null; has_variants: boolean; options: ({ name: string; value?: string; values?: (string)[] })[]; variant_of: number | null; title: string | null; position: number | null; custom: Record<string, unknown>; created_at: string; updated_at: string })[] };
  'Collection': { id: number; slug: string; name: string; description: string; image: { url: string; alt: string } | null; custom: Record<string, unknown> };
  'Cart': { id: number; status: "open" | "paying" | "placed" | "expired" | "merged" | "cancelled"; revision: number; email: string | null; first_name: string; last_name: string; phone: string | null; lines: ({ id: number; product_id: number; parent_id: number | null; name: string; title: string | null; sku: string | null; options: ({ name: string; value: string })[]; image: string | null; qty: number; price: number; added_price: number; price_override: number | null; subtotal: number; discount: number; tax: number })[]; promo_code: string | null; redeem_points: number; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string | null; shipping_method_id: number | null; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; accepts_marketing: boolean | null; custom: Record<string, unknown>; note: string | null; currency: string; subtotal: number; discount: number; promo_discount: number; points_discount: number; points_redeemed: number; shipping: number; shipping_method: { id: number; name: string } | null; shipping_methods: ({ id: number; name: string; cost: number })[]; tax: number; tax_lines: ({ name: string; rate: number; amount: number })[]; total: number; estimated: boolean; problems: ({ code: "out_of_stock" | "not_sold" | "price_changed" | "shipping_unavailable" | "promo_not_found" | "promo_inactive" | "promo_not_started" | "promo_expired" | "promo_usage_limit" | "promo_customer_limit" | "promo_min_subtotal" | "promo_not_applicable" | "loyalty_disabled" | "below_min_redeem" | "insufficient_points" | "too_large"; line_id: number | null })[]; payment: { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string } | null; reserved_until: string | null; order_id: number | null; created_at: string; updated_at: string; token: string };
  'Cart2': { id: number; status: "open" | "paying" | "placed" | "expired" | "merged" | "cancelled"; revision: number; email: string | null; first_name: string; last_name: string; phone: string | null; lines: ({ id: number; product_id: number; parent_id: number | null; name: string; title: string | null; sku: string | null; options: ({ name: string; value: string })[]; image: string | null; qty: number; price: number; added_price: number; price_override: number | null; subtotal: number; discount: number; tax: number })[]; promo_code: string | null; redeem_points: number; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string | null; shipping_method_id: number | null; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; accepts_marketing: boolean | null; custom: Record<string, unknown>; note: string | null; currency: string; subtotal: number; discount: number; promo_discount: number; points_discount: number; points_redeemed: number; shipping: number; shipping_method: { id: number; name: string } | null; shipping_methods: ({ id: number; name: string; cost: number })[]; tax: number; tax_lines: ({ name: string; rate: number; amount: number })[]; total: number; estimated: boolean; problems: ({ code: "out_of_stock" | "not_sold" | "price_changed" | "shipping_unavailable" | "promo_not_found" | "promo_inactive" | "promo_not_started" | "promo_expired" | "promo_usage_limit" | "promo_customer_limit" | "promo_min_subtotal" | "promo_not_applicable" | "loyalty_disabled" | "below_min_redeem" | "insufficient_points" | "too_large"; line_id: number | null })[]; payment: { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string } | null; reserved_until: string | null; order_id: number | null; created_at: string; updated_at: string };
  'Pay': { status: "open" | "action_required" | "processing" | "placed"; order: { id: number; status: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; subtotal: number; discount: number; tax: number; shipping: number; total: number; currency: string; tracking_number: string | null; items: ({ id: number; product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number; parent_id: number | null; title: string | null; options: ({ name: string; value: string })[] | null; sku: string | null; tax_class: string | null; categories: (string)[] | null })[]; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; shipping_method: string | null; tax_lines: ({ name: string; rate: number; amount: number })[]; promo_code: string | null; points_redeemed: number; subscription_id: number | null; guest: boolean; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; paid: number; refunded: number; balance: number | null; is_subscription: boolean; created_at: string; updated_at: string } | null; order_token: string | null; payment: { id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string; client_secret: string | null; publishable_key: string | null; redirect_url: string | null } | null; reserved_until: string | null };
  'Register': { sent: boolean };
  'Verify': { token: string; customer: { id: number; email: string; email_verified: boolean; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; created_at: string } };
  'Logout': { id: number; deleted: boolean };
  'Me': { id: number; email: string; email_verified: boolean; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; created_at: string };
  'Addresse': { id: number; first_name: string; last_name: string; company: string; phone: string; address: string; city: string; state: string; zip: string; country: string; created_at: string; updated_at: string };
  'Consent': { accepts_marketing: boolean };
  'Order': { id: number; status: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; subtotal: number; discount: number; tax: number; shipping: number; total: number; currency: string; tracking_number: string | null; items: ({ id: number; product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number; parent_id: number | null; title: string | null; options: ({ name: string; value: string })[] | null; sku: string | null; tax_class: string | null; categories: (string)[] | null })[]; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; shipping_method: string | null; tax_lines: ({ name: string; rate: number; amount: number })[]; promo_code: string | null; points_redeemed: number; subscription_id: number | null; guest: boolean; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; paid: number; refunded: number; balance: number | null; is_subscription: boolean; created_at: string; updated_at: string };
  'Subscription': { id: number; product_id: number; frequency_id: number; frequency_name: string; quantity: number; price: number; status: "active" | "paused" | "past_due" | "cancelled" | "expired"; next_billing_date: string | null; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; resume_on: string | null; pause_reason: string | null; saved_method_id: number | null; payment_attempts: number; cancelled_at: string | null; created_at: string; updated_at: string };
  'Option': { options: Record<string, unknown> };
  'Passkey': { id: number; name: string; created_at: string; last_used_at: string | null };
  'Pagination': { page: number; per_page: number; total: number; total_pages: number };
  'Error': { success: false; error: { message: string; code: number; details: { reason: string; request_id: string; fields?: ({ field: string; code: string; message: string })[] } } };
}

export interface endpoints {
  /** Read the shop. */
  'GET /shop': { options: {  }; data: { name: string; currency: string; country: string; countries: (string)[]; prices_include_tax: boolean; show_stock: "few" | "exact" | "none"; payment_methods: ({ id: number; provider: "manual" | "stripe" | "mollie"; kind: string; name: string; description: string | null; places: "at_once" | "when_paid"; capture: "at_once" | "on_shipped" | "by_hand"; min_total: number | null; max_total: number | null; publishable_key: string | null })[] } };
  /** List products. */
  'GET /products': { options: { query?: { category?: string; collection?: string; search?: string; in_stock?: boolean; subscription_enabled?: boolean; price_min?: number; price_max?: number; [name: `option.${string}`]: string | number | boolean | undefined; [name: `custom.${string}`]: string | number | boolean | undefined; facets?: string; sort?: "newest" | "oldest" | "name_asc" | "name_desc" | "price_asc" | "price_desc" | "relevance"; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** Read a product by id or slug. */
  'GET /products/{id}': { options: { path: { id: string } }; data: schemas['Product'] };
  /** List products bought together with a product. */
  'GET /products/{id}/related': { options: { path: { id: string }; query?: { limit?: number; page?: number; per_page?: number } }; data: (schemas['Product'])[]; item: schemas['Product'] };
  /** List collections. */
  'GET /collections': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Collection'])[]; item: schemas['Collection'] };
  /** Read a collection by slug or id. */
  'GET /collections/{slug}': { options: { path: { slug: string } }; data: schemas['Collection'] };
  /** List categories. */
  'GET /categories': { options: { query?: { page?: number; per_page?: number } }; data: ({ slug: string; name: string; description: string })[]; item: { slug: string; name: string; description: string } };
  /** Suggest products, collections and categories. */
  'GET /suggest': { options: { query: { q: string } }; data: { products: ({ id: number; name: string; slug: string; price: number; compare_at_price: number | null; price_max: number | null; in_stock: boolean | null; image: string | null })[]; collections: ({ slug: string; name: string })[]; categories: ({ slug: string; name: string })[] } };
  /** Read the cart. */
  'GET /cart': { options: {  }; data: schemas['Cart2'] };
  /** Create a cart. */
  'POST /cart': { options: { body?: { lines?: ({ product_id: number; qty: number })[]; email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; promo_code?: string | null; redeem_points?: number; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; shipping_method_id?: number | null; billing?: { first_name?: string | null; last_name?: string | null; company?: string | null; address: string; city: string; state?: string | null; zip: string; country?: string | null } | null; accepts_marketing?: boolean | null; custom?: Record<string, unknown>; note?: string | null } }; data: schemas['Cart'] };
  /** Change the cart. */
  'PATCH /cart': { options: { body: { email?: string | null; first_name?: string | null; last_name?: string | null; phone?: string | null; promo_code?: string | null; redeem_points?: number; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null; shipping_method_id?: number | null; billing?: { first_name?: string | null; last_name?: string | null; company?: string | null; address: string; city: string; state?: string | null; zip: string; country?: string | null } | null; accepts_marketing?: boolean | null; custom?: Record<string, unknown>; note?: string | null } }; data: schemas['Cart2'] };
  /** Add products to the cart. */
  'POST /cart/lines': { options: { body: { lines: ({ product_id: number; qty: number })[] } }; data: schemas['Cart2'] };
  /** Change the quantity of a line. */
  'PATCH /cart/lines/{id}': { options: { path: { id: number }; body: { qty: number } }; data: schemas['Cart2'] };
  /** Remove a line from the cart. */
  'DELETE /cart/lines/{id}': { options: { path: { id: number } }; data: schemas['Cart2'] };
  /** Pay the cart. */
  'POST /cart/pay': { options: { body?: { method_id?: number | null; saved_method_id?: number | null; expected_total?: number; return_url?: string; save_method?: boolean } }; data: schemas['Pay'] };
  /** Read the state of the payment. */
  'POST /cart/confirm': { options: {  }; data: schemas['Pay'] };
  /** Cancel the payment of the cart. */
  'POST /cart/reopen': { options: {  }; data: schemas['Pay'] };
  /** Fill a new cart from a link. */
  'POST /cart/recover': { options: { body: { token: string } }; data: schemas['Cart'] };
  /** Read an order by its token. */
  'GET /order': { options: {  }; data: { id: number; status: "pending" | "processing" | "shipped" | "delivered" | "cancelled"; subtotal: number; discount: number; tax: number; shipping: number; total: number; currency: string; tracking_number: string | null; items: ({ id: number; product_id: number; product_name: string; qty: number; price: number; subtotal: number; discount: number; tax: number; parent_id: number | null; title: string | null; options: ({ name: string; value: string })[] | null; sku: string | null; tax_class: string | null; categories: (string)[] | null })[]; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; shipping_method: string | null; tax_lines: ({ name: string; rate: number; amount: number })[]; promo_code: string | null; points_redeemed: number; subscription_id: number | null; guest: boolean; billing: { first_name: string; last_name: string; company: string; address: string; city: string; state: string; zip: string; country: string } | null; payment_status: "none" | "pending" | "authorized" | "partially_paid" | "paid" | "partially_refunded" | "refunded" | "failed"; paid: number; refunded: number; balance: number | null; is_subscription: boolean; created_at: string; updated_at: string; payments: ({ id: number; cart_id: number | null; order_id: number | null; method_id: number; provider: "manual" | "stripe" | "mollie"; account_id: number | null; mode: "test" | "live" | null; provider_ref: string | null; label: string; amount: number; authorized: number; authorized_until: string | null; captured: number; refunded: number; refund_pending: number; disputed: number; currency: string; status: "created" | "action_required" | "processing" | "authorized" | "paid" | "partially_refunded" | "refunded" | "failed" | "cancelled"; failure: { code: "card_declined" | "insufficient_funds" | "expired_card" | "authentication_required" | "fraud_suspected" | "method_unavailable" | "limit_exceeded" | "other"; message: string } | null; attention: "wrong_amount" | "dispute" | "uncertain" | null; wrong: boolean; instructions: string | null; reference: string | null; due_on: string | null; created_at: string; updated_at: string })[] } };
  /** Ask for the link to an order. */
  'POST /orders/lookup': { options: { body: { order_id: number; email: string } }; data: { sent: boolean } };
  /** Pay what is owed for an order. */
  'POST /order/pay': { options: { body: { method_id?: number; saved_method_id?: number | null; return_url?: string } }; data: schemas['Pay'] };
  /** Note what a visitor does. */
  'POST /events': { options: { body: { event_type: "product_viewed"; product_id: number } }; data: { recorded: boolean } };
  /** Register. */
  'POST /customers/register': { options: { body: { email: string; first_name?: string; last_name?: string; accepts_marketing?: boolean } }; data: schemas['Register'] };
  /** Ask for a code. */
  'POST /customers/code': { options: { body: { email: string } }; data: schemas['Register'] };
  /** Open an account, or sign in, by a code. */
  'POST /customers/verify': { options: { body: { email: string; code: string; password?: string | null } }; data: schemas['Verify'] };
  /** Sign in by password or code. */
  'POST /customers/login': { options: { body: { email: string; password?: string; code?: string } }; data: schemas['Verify'] };
  /** Sign out. */
  'POST /customers/logout': { options: { body?: {  } }; data: schemas['Logout'] };
  /** Read one’s own data. */
  'GET /me': { options: {  }; data: schemas['Me'] };
  /** Change one’s own data. */
  'PATCH /me': { options: { body: { email?: string; code?: string; first_name?: string | null; last_name?: string | null; phone?: string | null; shipping_address?: string | null; shipping_city?: string | null; shipping_state?: string | null; shipping_zip?: string | null; shipping_country?: string | null } }; data: schemas['Me'] };
  /** Delete one’s account and data. */
  'DELETE /me': { options: { body: { code: string } }; data: schemas['Logout'] };
  /** Ask for a code for a change that needs one. */
  'POST /me/code': { options: { body: { purpose: "change_email" | "erase"; email?: string } }; data: schemas['Register'] };
  /** Set one’s password. */
  'PUT /me/password': { options: { body: { password: string; current_password?: string | null } }; data: schemas['Me'] };
  /** List where one is signed in. */
  'GET /me/sessions': { options: {  }; data: ({ id: number; created_at: string; used_at: string; current: boolean })[] };
  /** End a session. */
  'DELETE /me/sessions/{id}': { options: { path: { id: number } }; data: schemas['Logout'] };
  /** List one’s addresses. */
  'GET /me/addresses': { options: {  }; data: (schemas['Addresse'])[] };
  /** Add an address. */
  'POST /me/addresses': { options: { body: { first_name?: string; last_name?: string; company?: string; phone?: string; state?: string; address: string; city: string; zip: string; country: string } }; data: schemas['Addresse'] };
  /** Change an address. */
  'PATCH /me/addresses/{id}': { options: { path: { id: number }; body: { first_name?: string; last_name?: string; company?: string; phone?: string; state?: string; address?: string; city?: string; zip?: string; country?: string } }; data: schemas['Addresse'] };
  /** Remove an address. */
  'DELETE /me/addresses/{id}': { options: { path: { id: number } }; data: schemas['Logout'] };
  /** Read one’s consent to marketing e-mail. */
  'GET /me/consent': { options: {  }; data: schemas['Consent'] };
  /** Change one’s consent to marketing e-mail. */
  'PATCH /me/consent': { options: { body: { accepts_marketing: boolean } }; data: schemas['Consent'] };
  /** Everything that is stored about oneself. */
  'GET /me/export': { options: {  }; data: { customer: { id: number; revision: number; email: string; first_name: string; last_name: string; phone: string; accepts_marketing: boolean; shipping_address: string; shipping_city: string; shipping_state: string; shipping_zip: string; shipping_country: string; account: "none" | "invited" | "active" | "closed"; email_verified: boolean; metadata: Record<string, unknown>; custom: Record<string, unknown>; created_at: string; updated_at: string }; orders: (Record<string, unknown>)[]; order_ledger: (Record<string, unknown>)[]; refunds: (Record<string, unknown>)[]; saved_payment_methods: (Record<string, unknown>)[]; subscriptions: (Record<string, unknown>)[]; carts: (Record<string, unknown>)[]; loyalty_ledger: (Record<string, unknown>)[]; addresses: (Record<string, unknown>)[]; sessions: (Record<string, unknown>)[]; passkeys: (Record<string, unknown>)[]; notes: (Record<string, unknown>)[]; contact: Record<string, unknown> | null; consents: (Record<string, unknown>)[]; memberships: (Record<string, unknown>)[]; events: (Record<string, unknown>)[]; messages: (Record<string, unknown>)[]; activity: (Record<string, unknown>)[]; flow_runs: (Record<string, unknown>)[]; notifications: (Record<string, unknown>)[]; mails: (Record<string, unknown>)[]; form_submissions: (Record<string, unknown>)[]; omitted: (string)[] } };
  /** List one’s orders. */
  'GET /me/orders': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Order'])[]; item: schemas['Order'] };
  /** Read one of one’s orders. */
  'GET /me/orders/{id}': { options: { path: { id: number } }; data: schemas['Order'] };
  /** Read one’s points. */
  'GET /me/loyalty': { options: {  }; data: { customer_id: number; current_balance: number; lifetime_points: number; dollar_value: number } };
  /** List one’s saved payment methods. */
  'GET /me/saved-payment-methods': { options: {  }; data: ({ id: number; provider: "stripe" | "mollie"; label: string; brand: string | null; last4: string | null; expires_on: string | null; created_at: string })[] };
  /** Remove a saved payment method. */
  'DELETE /me/saved-payment-methods/{id}': { options: { path: { id: number } }; data: schemas['Logout'] };
  /** List one’s subscriptions. */
  'GET /me/subscriptions': { options: { query?: { page?: number; per_page?: number } }; data: (schemas['Subscription'])[]; item: schemas['Subscription'] };
  /** Read one of one’s subscriptions. */
  'GET /me/subscriptions/{id}': { options: { path: { id: number } }; data: schemas['Subscription'] };
  /** Change quantity, frequency, next date or saved payment method. */
  'PATCH /me/subscriptions/{id}': { options: { path: { id: number }; body: { quantity?: number; frequency_id?: number; next_billing_date?: string; saved_method_id?: number | null } }; data: schemas['Subscription'] };
  /** Pause a subscription, until a date or until it is resumed. */
  'POST /me/subscriptions/{id}/pause': { options: { path: { id: number }; body?: { resume_on?: string | null } }; data: schemas['Subscription'] };
  /** Resume a paused subscription. */
  'POST /me/subscriptions/{id}/resume': { options: { path: { id: number }; body?: {  } }; data: schemas['Subscription'] };
  /** Skip the next date. */
  'POST /me/subscriptions/{id}/skip': { options: { path: { id: number }; body?: {  } }; data: schemas['Subscription'] };
  /** Cancel a subscription at once. */
  'POST /me/subscriptions/{id}/cancel': { options: { path: { id: number }; body?: { reason?: string | null } }; data: schemas['Subscription'] };
  /** Begin to sign in by a passkey. */
  'POST /customers/passkey/options': { options: { body?: {  } }; data: schemas['Option'] };
  /** Sign in by a passkey. */
  'POST /customers/passkey': { options: { body: { credential: { id: string; rawId: string; type: "public-key"; clientExtensionResults: Record<string, unknown>; response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string } } } }; data: schemas['Verify'] };
  /** List one’s passkeys. */
  'GET /me/passkeys': { options: {  }; data: (schemas['Passkey'])[] };
  /** Keep a passkey that the browser created. */
  'POST /me/passkeys': { options: { body: { name: string; credential: { id: string; rawId: string; type: "public-key"; clientExtensionResults: Record<string, unknown>; response: { clientDataJSON: string; attestationObject: string; transports?: (string)[] } } } }; data: schemas['Passkey'] };
  /** Begin to create a passkey. */
  'POST /me/passkeys/options': { options: { body?: {  } }; data: schemas['Option'] };
  /** Remove a passkey. */
  'DELETE /me/passkeys/{id}': { options: { path: { id: number } }; data: schemas['Logout'] };
}
