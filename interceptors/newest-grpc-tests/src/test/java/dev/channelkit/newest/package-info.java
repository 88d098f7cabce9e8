/** The toolkit on the newest gRPC and protobuf, with the messages of Spark Connect itself. */
package dev.channelkit.newest;
