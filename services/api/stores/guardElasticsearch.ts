import type {
  Client,
  TransportRequestOptions,
  TransportRequestParams,
} from '@elastic/elasticsearch';
import { SniffingTransport } from '../../../shared/drivers/elasticsearch.js';
import type { StoreGuard } from './storeGuard.js';

/** A client that shares the connections of `client`, with a guard around every request. */
export function guardElasticsearch(client: Client, guard: StoreGuard): Client {
  class GuardedTransport extends SniffingTransport {
    override request<Answer>(
      params: TransportRequestParams,
      options?: TransportRequestOptions,
    ): Promise<Answer> {
      return guard(() => super.request<Answer>(params, options));
    }
  }
  return client.child({ Transport: GuardedTransport });
}
