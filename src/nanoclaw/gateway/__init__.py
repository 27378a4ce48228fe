"""The gateway: prices, limits and meters every model call, and adds the key. Also the proxy, a box's egress."""
