node_count = 2
