import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.test.KafkaClusterTestKit;
import org.apache.kafka.common.test.TestKitNodes;

/** One Kafka broker in the process of the load generator; it stamps each record when it appends it. */
final class KafkaServer implements MessageServer {
    private final KafkaClusterTestKit kit;
    private final Admin admin;

    private KafkaServer(KafkaClusterTestKit kit) {
        this.kit = kit;
        this.admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kit.bootstrapServers()));
    }

    static KafkaServer start() throws Exception {
        var nodes = new TestKitNodes.Builder()
                .setCombined(true)
                .setNumBrokerNodes(1)
                .setNumControllerNodes(1)
                .build();
        var kit = new KafkaClusterTestKit.Builder(nodes)
                .setConfigProp("offsets.topic.replication.factor", "1")
                .setConfigProp("log.message.timestamp.type", "LogAppendTime")
                .build();
        kit.format();
        kit.startup();
        kit.waitForReadyBrokers();
        return new KafkaServer(kit);
    }

    @Override
    public String endpoint(String name) throws ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get();
        return """
                {"name":"%s","type":"KAFKA",
                 "spec":{"bootstrap_servers":"%s","topic":"%s","value_template":{"n":"{{input.n}}"}}}\
                """.formatted(name, kit.bootstrapServers(), name);
    }

    @Override
    public long count(String name) throws ExecutionException, InterruptedException {
        return find(name, OffsetSpec.latest()).offset();
    }

    @Override
    public double seconds(String name) throws ExecutionException, InterruptedException {
        long first = find(name, OffsetSpec.forTimestamp(0)).timestamp();
        return (find(name, OffsetSpec.maxTimestamp()).timestamp() - first) / 1e3;
    }

    private ListOffsetsResultInfo find(String topic, OffsetSpec which) throws ExecutionException, InterruptedException {
        var partition = new TopicPartition(topic, 0);
        return admin.listOffsets(Map.of(partition, which))
                .partitionResult(partition)
                .get();
    }

    @Override
    public void close() throws Exception {
        admin.close();
        kit.close();
    }
}
